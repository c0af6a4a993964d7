// Loads and runs programs, whatever their bytes, on two little kernels; for tests that are written in Python.
//
// Standard input: for each program a Request, the name of the method, the .pte.
// Standard output: for each, u32 error, u32 next instruction and, if the error is 0, the 8 bytes of output 0.
// State is reset before the first run.
// Everything a program may touch is allocated to the byte, so that AddressSanitizer sees what goes beyond.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/branching_method.h"
#include "runtime/checksums.h"
#include "runtime/method.h"
#include "runtime/state.h"

namespace kindling {
namespace {

constexpr uint32_t kOutputBytes = 8;

struct Request {
  uint32_t file_bytes;
  uint32_t name_bytes;
  uint32_t instructions_a_step;  // 0: all at once
  uint32_t region_bytes[2];
  uint32_t misaligned_file;  // by how many bytes
  uint32_t misaligned_region;
  uint32_t verification;  // kindling::Verification
  uint32_t checksums;     // whether they are checked
  uint32_t stateful;      // whether the second region is state
  uint32_t runs;          // at least 1; the last one's output is given
  uint32_t disturbed;     // whether another Method is initialised in the same memory before each run
  uint32_t branching;     // whether it is a BranchingMethod
};

struct Params {
  uint32_t count;
  int32_t factor;
};

/// output = input * factor
void scale_s8(const int8_t* input, const Params& params, int8_t* output) {
  for (uint32_t i = 0; i < params.count; ++i) output[i] = static_cast<int8_t>(input[i] * params.factor);
}

/// output = (a + b) * factor, the sums being kept in scratch first
void add_s8(const int8_t* a, const int8_t* b, const Params& params, void* scratch, int8_t* output) {
  int32_t* sums = static_cast<int32_t*>(scratch);
  for (uint32_t i = 0; i < params.count; ++i) sums[i] = a[i] + b[i];
  for (uint32_t i = 0; i < params.count; ++i) output[i] = static_cast<int8_t>(sums[i] * params.factor);
}

void run_scale_s8(void* const* arguments) {
  scale_s8(static_cast<int8_t*>(arguments[0]), *static_cast<Params*>(arguments[1]), static_cast<int8_t*>(arguments[2]));
}

void run_add_s8(void* const* arguments) {
  add_s8(static_cast<int8_t*>(arguments[0]), static_cast<int8_t*>(arguments[1]), *static_cast<Params*>(arguments[2]), arguments[3],
         static_cast<int8_t*>(arguments[4]));
}

bool holds(uint32_t bytes, const void* constant) {
  return bytes >= sizeof(Params) && static_cast<const Params*>(constant)->factor > -100;
}

Error check_scale_s8(const uint32_t* bytes, const void* constant) {
  if (!holds(bytes[1], constant)) return Error::InvalidArgument;
  uint32_t count = static_cast<const Params*>(constant)->count;
  return bytes[0] == count && bytes[2] == count ? Error::Ok : Error::InvalidArgument;
}

Error check_add_s8(const uint32_t* bytes, const void* constant) {
  if (!holds(bytes[2], constant)) return Error::InvalidArgument;
  uint32_t count = static_cast<const Params*>(constant)->count;
  bool fits = bytes[0] == count && bytes[1] == count && bytes[3] / sizeof(int32_t) >= count && bytes[4] == count;
  return fits ? Error::Ok : Error::InvalidArgument;
}

alignas(4) constexpr char kNames[] = "kindling::scale_s8\0\0kindling::add_s8\0\0\0";
constexpr Kernel kKernels[] = {{run_scale_s8, check_scale_s8}, {run_add_s8, check_add_s8}};
constexpr Argument kScaleArguments[] = {input_of(kInt8), kParamsArgument, output_of(kInt8)};
constexpr Argument kAddArguments[] = {input_of(kInt8), input_of(kInt8), kParamsArgument, kScratchArgument, output_of(kInt8)};
constexpr Signature kSignatures[] = {{18, 1, 3, kScaleArguments}, {16, 2, 5, kAddArguments}};
constexpr uint32_t kInputShape[] = {1, kOutputBytes}, kOutputShape[] = {kOutputBytes};
constexpr Port kInputs[] = {{kInt8, kInputShape}}, kOutputs[] = {{kInt8, kOutputShape}};

/// Memory of exactly `bytes`, aligned to 16 bytes but for `misaligned`.
class Block {
 public:
  explicit Block(uint32_t bytes, uint32_t misaligned = 0) : bytes_(bytes), misaligned_(misaligned) {
    void* memory;
    if (posix_memalign(&memory, 16, bytes + misaligned) != 0) std::abort();
    memory_ = static_cast<uint8_t*>(memory);
  }
  ~Block() { std::free(memory_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  uint8_t* data() const { return memory_ + misaligned_; }
  Region region() const { return {data(), bytes_}; }

 private:
  uint8_t* memory_;
  uint32_t bytes_;
  uint32_t misaligned_;
};

/// Fills memory with what a kernel would take for its params.
void fill_with_params(Region region) {
  const Params params = {kOutputBytes, 1};
  for (uint32_t i = 0; i < region.size; ++i) region[i] = reinterpret_cast<const uint8_t*>(&params)[i % sizeof params];
}

void put(uint32_t word) { std::fwrite(&word, sizeof word, 1, stdout); }

// One for all programs, so that what one leaves behind meets the next.
template <class AnyMethod>
AnyMethod method_for_all;

Error run_once(auto& method, uint32_t instructions_a_step) {
  if (instructions_a_step == 0) return method.run();
  Error error;
  while ((error = method.step(instructions_a_step)) == Error::Ok) continue;
  return error == Error::EndOfMethod ? Error::Ok : error;
}

template <class AnyMethod, Verification kVerification>
void run_program(const Request& request, Span<const char> name, Span<const uint8_t> file) {
  constexpr uint32_t kAddresses = 8;
  Block first(request.region_bytes[0], request.misaligned_region), second(request.region_bytes[1]);
  Block addresses(kAddresses * sizeof(void*));
  const Region regions[] = {first.region(), second.region()};
  for (Region region : regions) fill_with_params(region);
  const Environment environment = {
      .kernels = {kNames, kKernels, kSignatures, 2},
      .inputs = kInputs,
      .outputs = kOutputs,
      .regions = regions,
      .addresses = {reinterpret_cast<void**>(addresses.data()), kAddresses},
      .state = request.stateful ? second.region() : Region(nullptr, 0),
  };
  AnyMethod& method = method_for_all<AnyMethod>;
  Program program;
  uint32_t number;
  Error error = request.checksums ? check_checksums(file) : Error::Ok;
  if (error == Error::Ok) error = program.load<kVerification>(file);
  if (error == Error::Ok) error = program.find_method<kVerification>(name, number);
  if (error != Error::Ok) {
    put(static_cast<uint32_t>(error));
    put(0);
    if (error == Error::NotFound && method.template init<kVerification>(program, UINT32_MAX, environment) != error) std::abort();
    return;
  }
  error = method.template init<kVerification>(program, number, environment);
  if (error == Error::Ok && request.stateful) error = reset_state(program, number, environment);
  if (error != Error::Ok) {
    put(static_cast<uint32_t>(error));
    put(method.next_instruction());
    if (!request.stateful && method.run() != Error::InvalidState) std::abort();
    return;
  }
  for (uint32_t run = 0; error == Error::Ok && run < request.runs; ++run) {
    AnyMethod other;
    if (request.disturbed && other.template init<kVerification>(program, number, environment) != Error::Ok) std::abort();
    int8_t* input = static_cast<int8_t*>(method.input(0));
    for (uint32_t i = 0; i < kOutputBytes; ++i) input[i] = static_cast<int8_t>(i - 3);
    error = run_once(method, request.instructions_a_step);
  }
  put(static_cast<uint32_t>(error));
  put(method.next_instruction());
  if (error == Error::Ok) std::fwrite(method.output(0), 1, kOutputBytes, stdout);
}

}  // namespace
}  // namespace kindling

int main() {
  kindling::Request request;
  while (std::fread(&request, sizeof request, 1, stdin) == 1) {
    kindling::Block name(request.name_bytes), file(request.file_bytes, request.misaligned_file);
    if (std::fread(name.data(), 1, request.name_bytes, stdin) != request.name_bytes) return 1;
    if (std::fread(file.data(), 1, request.file_bytes, stdin) != request.file_bytes) return 1;
    using kindling::run_program, kindling::Verification, kindling::Method, kindling::BranchingMethod;
    bool is_full = request.verification == static_cast<uint32_t>(Verification::kFull);
    auto run = is_full ? run_program<Method, Verification::kFull> : run_program<Method, Verification::kStructure>;
    if (request.branching) {
      run = is_full ? run_program<BranchingMethod, Verification::kFull> : run_program<BranchingMethod, Verification::kStructure>;
    }
    run(request, {reinterpret_cast<char*>(name.data()), request.name_bytes}, {file.data(), request.file_bytes});
  }
  return std::fflush(stdout);
}
