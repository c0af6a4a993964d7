// Runs programs that upstream made, on the host, with every operator that there is here:
//
//   run_pte PROGRAM INPUTS OUTPUTS [PROGRAM INPUTS OUTPUTS]...
//
// INPUTS holds the first method's inputs, laid end to end, for any number of runs; OUTPUTS gets the outputs likewise. Prints one
// line for each program: what RAM it takes, or what is wrong with it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/tensor.h"
#include "runtime/upstream/all_operators.h"
#include "runtime/upstream/method.h"
#include "runtime/upstream/plan.h"

namespace kindling::upstream {
namespace {

/// Memory of exactly `bytes`, aligned to 16, so that AddressSanitizer sees what goes beyond.
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { std::free(data_); }

  void resize(uint32_t bytes) {
    std::free(data_);
    if (posix_memalign(&data_, 16, bytes == 0 ? 1 : bytes) != 0) std::abort();
    std::memset(data_, 0, bytes);
    bytes_ = bytes;
  }
  bool read(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr || std::fseek(file, 0, SEEK_END) != 0) return false;
    resize(static_cast<uint32_t>(std::ftell(file)));
    std::rewind(file);
    bool whole = std::fread(data_, 1, bytes_, file) == bytes_;
    return std::fclose(file) == 0 && whole;
  }
  uint8_t* data() const { return static_cast<uint8_t*>(data_); }
  uint32_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  uint32_t bytes_ = 0;
};

constexpr uint32_t kMaxPorts = 16;
constexpr uint32_t kMaxRegions = 4;
constexpr uint32_t kMaxRegionBytes = 1 << 28;

/// Inputs or outputs as the program has them.
struct Ports {
  Error read(const Values& values, Span<const uint32_t> indices) {
    if (indices.size > kMaxPorts) return Error::NotSupported;
    for (count = 0; count < indices.size; ++count) {
      Tensor& tensor = tensors[count];
      if (Error error = values.tensor(indices[count], tensor); error != Error::Ok) return error;
      const uint32_t type = kElements[static_cast<uint32_t>(tensor.type)].traits >> kTypeShift;
      ports[count] = {static_cast<ElementType>(type), {tensor.sizes, tensor.rank}};
    }
    return Error::Ok;
  }

  uint32_t bytes(uint32_t i) const { return tensors[i].count * tensors[i].element_bytes; }

  Tensor tensors[kMaxPorts];
  Port ports[kMaxPorts];
  uint32_t count = 0;
};

/// What a program's first method needs, and memory for it.
struct Memory {
  Error prepare(const Program& program) {
    Plan plan;
    if (Error error = read_plan(program, 0, plan); error != Error::Ok) return error;
    if (plan.planned.size > kMaxRegions + 1) return Error::OutOfResources;
    for (uint32_t i = 1; i < plan.planned.size; ++i) {
      if (plan.planned[i].high != 0 || plan.planned[i].low > kMaxRegionBytes) return Error::OutOfResources;
      blocks[i - 1].resize(plan.planned[i].low);
      regions[i - 1] = {blocks[i - 1].data(), plan.planned[i].low};
      planned_bytes += plan.planned[i].low;
      region_count = i;
    }
    Values values(program, plan.values, {regions, region_count});
    Error error = inputs.read(values, plan.inputs);
    return error == Error::Ok ? outputs.read(values, plan.outputs) : error;
  }

  Environment environment() const {
    return {{kAllOperators, kAllOperatorsCount}, {inputs.ports, inputs.count}, {outputs.ports, outputs.count}, {regions, region_count},
            {arena.data(), arena.bytes()}};
  }

  Block blocks[kMaxRegions];
  Block arena;
  Region regions[kMaxRegions];
  uint32_t region_count = 0, planned_bytes = 0;
  Ports inputs, outputs;
};

bool run_on(const Method& const_method, const Memory& memory, const Block& inputs, std::FILE* file) {
  Method method = const_method;
  uint32_t bytes_a_run = 0;
  for (uint32_t i = 0; i < memory.inputs.count; ++i) bytes_a_run += memory.inputs.bytes(i);
  if (bytes_a_run == 0 || inputs.bytes() % bytes_a_run != 0) return false;
  for (uint32_t at = 0; at < inputs.bytes();) {
    for (uint32_t i = 0; i < memory.inputs.count; at += memory.inputs.bytes(i++)) {
      std::memcpy(method.input(i), inputs.data() + at, memory.inputs.bytes(i));
    }
    if (method.run() != Error::Ok) return false;
    for (uint32_t i = 0; i < memory.outputs.count; ++i) std::fwrite(method.output(i), 1, memory.outputs.bytes(i), file);
  }
  return true;
}

/// What cannot be printed as question marks.
void print(Span<const char> text) {
  for (char letter : text) std::putchar(letter > ' ' && letter <= '~' ? letter : '?');
}

int run_program(const char* path, const char* inputs_path, const char* outputs_path) {
  Block file, inputs;
  if (!file.read(path) || !inputs.read(inputs_path)) {
    std::printf("error: cannot read %s and %s\n", path, inputs_path);
    return 1;
  }
  Program program;
  Memory memory;
  Method method;
  Error error = program.load({file.data(), file.bytes()});
  if (error == Error::Ok) error = memory.prepare(program);
  if (error == Error::Ok) {
    memory.arena.resize(0);
    error = method.init(program, 0, memory.environment());
    if (error == Error::OutOfResources && method.arena_bytes() != 0) {
      memory.arena.resize(method.arena_bytes());
      error = method.init(program, 0, memory.environment());
    }
  }
  if (error != Error::Ok) {
    OperatorName name = {};
    if (find_operator_name(program, 0, method.next_instruction(), name) != Error::Ok) name = {{"?", 1}, {"", 0}};
    std::printf("error 0x%02x at instruction %u, ", static_cast<unsigned>(error), method.next_instruction());
    print(name.name);
    std::putchar('.');
    print(name.overload);
    std::puts(error == Error::OperatorMissing ? ": there is no such operator" : "");
    return 1;
  }
  std::FILE* outputs = std::fopen(outputs_path, "wb");
  if (outputs == nullptr || !run_on(method, memory, inputs, outputs) || std::fclose(outputs) != 0) {
    std::printf("error: %s does not hold whole inputs, or %s cannot be written\n", inputs_path, outputs_path);
    return 1;
  }
  std::printf("ok: %u bytes of regions, %u of the method's arena\n", memory.planned_bytes, method.arena_bytes());
  return 0;
}

}  // namespace
}  // namespace kindling::upstream

int main(int count, char** arguments) {
  if (count < 4 || count % 3 != 1) {
    std::fprintf(stderr, "run_pte PROGRAM INPUTS OUTPUTS [PROGRAM INPUTS OUTPUTS]...\n");
    return 2;
  }
  int failed = 0;
  for (int i = 1; i < count; i += 3) {
    failed |= kindling::upstream::run_program(arguments[i], arguments[i + 1], arguments[i + 2]);
  }
  return failed;
}
