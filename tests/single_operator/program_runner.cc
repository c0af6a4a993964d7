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
  uint32_t pte_bytes, names_bytes, kernels, region_bytes, values, inputs, outputs, runs, verification;
};

struct PortRow {
  uint32_t bytes, type, rank, sizes[8];
};

constexpr ElementType kTypes[] = {kUint8, kInt8, kInt16, kInt32, kFloat32};

/// Inputs or outputs of a method.
struct Ports {
  bool read(HostFile& file, uint32_t number) {
    count = number;
    if (count > kMaxPorts || file.read(rows, count * sizeof(PortRow)) != count * sizeof(PortRow)) return false;
    for (uint32_t i = 0; i < count; ++i) {
      if (rows[i].type >= sizeof(kTypes) || rows[i].rank > 8) return false;
      ports[i] = {kTypes[rows[i].type], {rows[i].sizes, rows[i].rank}};
    }
    return true;
  }

  uint32_t count;
  PortRow rows[kMaxPorts];
  Port ports[kMaxPorts];
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
    uint32_t rows[kMaxKernels];
    if (!read(&head, sizeof(head)) || head.kernels > kMaxKernels) return false;
    if (head.values > kMaxValues || head.region_bytes > sizeof(region) || head.names_bytes > sizeof(names_)) return false;
    if (!read(rows, head.kernels * sizeof(uint32_t)) || !read(names_, head.names_bytes)) return false;
    for (uint32_t i = 0; i < head.kernels; ++i) {
      if (rows[i] >= kAllKernelsCount) return false;
      kernels_[i] = kAllKernels[rows[i]];
      signatures_[i] = kAllSignatures[rows[i]];
    }
    if (!inputs_.read(programs_, head.inputs) || !outputs_.read(programs_, head.outputs)) return false;
    if (head.pte_bytes > sizeof(store) || !read(store, head.pte_bytes)) return false;

    const Region regions[] = {{region, head.region_bytes}};
    const Environment environment = {
        .kernels = {names_, kernels_, signatures_, head.kernels},
        .inputs = {inputs_.ports, inputs_.count},
        .outputs = {outputs_.ports, outputs_.count},
        .regions = regions,
        .addresses = {addresses_, head.values},
    };
    Program program;
    const bool is_full = head.verification == static_cast<uint32_t>(Verification::kFull);
    Error error = is_full ? prepare<Verification::kFull>(program, head, environment)
                          : prepare<Verification::kStructure>(program, head, environment);
    const uint32_t state[] = {static_cast<uint32_t>(error), method_.next_instruction()};
    if (!results_.write(state, sizeof(state))) return false;
    for (uint32_t run = 0; run < head.runs; ++run) {
      if (!infer(error == Error::Ok)) return false;
    }
    return true;
  }

  template <Verification kVerification>
  Error prepare(Program& program, const Head& head, const Environment& environment) {
    Error error = program.load<kVerification>({store, head.pte_bytes});
    return error == Error::Ok ? method_.init<kVerification>(program, 0, environment) : error;
  }

  /// One inference; of a program that is not `ready`, only its inputs are read.
  bool infer(bool ready) {
    for (uint32_t i = 0; i < inputs_.count; ++i) {
      if (!read(ready ? method_.input(i) : region, inputs_.rows[i].bytes)) return false;
    }
    if (!ready) return true;
    if (method_.run() != Error::Ok) return false;
    for (uint32_t i = 0; i < outputs_.count; ++i) {
      if (!results_.write(method_.output(i), outputs_.rows[i].bytes)) return false;
    }
    return true;
  }

  HostFile& programs_;
  HostFile& results_;
  Method method_;
  Kernel kernels_[kMaxKernels];
  Signature signatures_[kMaxKernels];
  alignas(4) char names_[64 * kMaxKernels];
  Ports inputs_, outputs_;
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
