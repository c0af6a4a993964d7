// Runs the programs of programs.bin (format: programs.py) with the runtime and all kernels, and writes what they answer to results.bin.
//
// Exit code: 0 if every program was read, whatever the runtime made of it.
#include <cstdint>

#include "kernels/testing/all_kernels.h"
#include "kernels/testing/host_file.h"
#include "platforms/boards/unaligned.h"
#include "runtime/method.h"

namespace kindling {
namespace {

constexpr uint32_t kMagic = 0x4e534c4b;
constexpr uint32_t kMaxKernels = 16, kMaxPorts = 16, kMaxValues = 64;

struct Head {
  uint32_t pte_bytes, names_bytes, kernels, region_bytes, values, inputs, outputs, runs;
};

struct Row {
  uint32_t kernel, name_bytes, inputs, arguments, aligned;
};

#if defined(__arm__)
#define KINDLING_ARENA __attribute__((section(".arena")))
#else
#define KINDLING_ARENA
#endif

alignas(16) uint8_t store[256 * 1024] KINDLING_ARENA;
alignas(16) uint8_t region[256 * 1024] KINDLING_ARENA;

class Runner {
 public:
  Runner(HostFile& programs, HostFile& results) : programs_(programs), results_(results) {}

  bool run() {
    uint32_t head[2];
    if (!read(head, sizeof(head)) || head[0] != kMagic) return false;
    for (uint32_t i = 0; i < head[1]; ++i) {
      if (!run_program()) return false;
    }
    return true;
  }

 private:
  bool read(void* data, uint32_t bytes) { return programs_.read(data, bytes) == bytes; }

  bool run_program() {
    Head head;
    Row rows[kMaxKernels];
    if (!read(&head, sizeof(head)) || head.kernels > kMaxKernels || head.inputs > kMaxPorts || head.outputs > kMaxPorts) return false;
    if (head.values > kMaxValues || head.region_bytes > sizeof(region) || head.names_bytes > sizeof(names_)) return false;
    if (!read(rows, head.kernels * sizeof(Row)) || !read(names_, head.names_bytes)) return false;
    for (uint32_t i = 0; i < head.kernels; ++i) {
      const Row& row = rows[i];
      if (row.kernel >= kAllKernelsCount) return false;
      kernels_[i] = kAllKernels[row.kernel];
      signatures_[i] = {static_cast<uint8_t>(row.name_bytes), static_cast<uint8_t>(row.inputs), static_cast<uint8_t>(row.arguments),
                        static_cast<uint16_t>(row.aligned)};
    }
    if (!read(input_bytes_, head.inputs * sizeof(uint32_t)) || !read(output_bytes_, head.outputs * sizeof(uint32_t))) return false;
    if (head.pte_bytes > sizeof(store) || !read(store, head.pte_bytes)) return false;

    const Region regions[] = {{region, head.region_bytes}};
    const Environment environment = {
        .kernels = {names_, kernels_, signatures_, head.kernels},
        .input_bytes = {input_bytes_, head.inputs},
        .output_bytes = {output_bytes_, head.outputs},
        .regions = regions,
        .addresses = {addresses_, head.values},
    };
    Program program;
    Error error = program.load({store, head.pte_bytes});
    if (error == Error::Ok) error = method_.init(program, 0, environment);
    const uint32_t state[] = {static_cast<uint32_t>(error), method_.next_instruction()};
    if (!results_.write(state, sizeof(state))) return false;
    for (uint32_t run = 0; run < head.runs; ++run) {
      if (!infer(head, error == Error::Ok)) return false;
    }
    return true;
  }

  /// One inference; of a program that is not `ready`, only its inputs are read.
  bool infer(const Head& head, bool ready) {
    for (uint32_t i = 0; i < head.inputs; ++i) {
      if (!read(ready ? method_.input(i) : region, input_bytes_[i])) return false;
    }
    if (!ready) return true;
    if (method_.run() != Error::Ok) return false;
    for (uint32_t i = 0; i < head.outputs; ++i) {
      if (!results_.write(method_.output(i), output_bytes_[i])) return false;
    }
    return true;
  }

  HostFile& programs_;
  HostFile& results_;
  Method method_;
  Kernel kernels_[kMaxKernels];
  Signature signatures_[kMaxKernels];
  alignas(4) char names_[64 * kMaxKernels];
  uint32_t input_bytes_[kMaxPorts], output_bytes_[kMaxPorts];
  void* addresses_[kMaxValues];
};

}  // namespace

int run_programs() {
  trap_unaligned_accesses();
  HostFile programs("programs.bin", HostFile::kRead);
  HostFile results("results.bin", HostFile::kWrite);
  if (!programs.is_open() || !results.is_open()) return 2;
  static Runner runner(programs, results);
  return runner.run() ? 0 : 2;
}

}  // namespace kindling

int main() { return kindling::run_programs(); }
