#include "runtime/firmware/harness.h"

#include "platforms/boards/unaligned.h"
#include "runtime/firmware/services.h"

// Different bodies, or the compiler would make them one function.
extern "C" {
[[gnu::noinline]] void kindling_mark_init_begin() { asm volatile("" ::"i"(0)); }
[[gnu::noinline]] void kindling_mark_init_end() { asm volatile("" ::"i"(1)); }
[[gnu::noinline]] void kindling_mark_run_begin() { asm volatile("" ::"i"(2)); }
[[gnu::noinline]] void kindling_mark_run_end() { asm volatile("" ::"i"(3)); }
}

#ifndef KINDLING_SEQUENCE
#define KINDLING_SEQUENCE 0
#endif

namespace kindling {
namespace {

constexpr uint32_t kMagic = 0x4C444E4B;  // "KNDL"

struct Report {
  uint32_t magic;
  Error error;
  uint32_t runs;
  uint32_t arena_bytes;
  uint32_t state_bytes;
  uint32_t stack_bytes;
};

Error init(const Model& model) {
  kindling_mark_init_begin();
  Error error = model.init();
  kindling_mark_init_end();
  return error;
}

Error run(const Model& model) {
  kindling_mark_run_begin();
  Error error = model.run();
  kindling_mark_run_end();
  return error;
}

/// Before each run, of which there have been so many.
Error begin_sequence(const Model& model, uint32_t runs) {
  constexpr uint32_t kSequence = KINDLING_SEQUENCE;
  if constexpr (kSequence != 0) {
    if (runs != 0 && runs % kSequence == 0 && model.reset_state != nullptr) return model.reset_state();
  }
  return Error::Ok;
}

/// Ok, EndOfMethod if no input is left, or InvalidArgument if the last one is cut short.
Error read_inputs(const Model& model, File& file) {
  for (uint32_t i = 0; i < model.inputs.size; ++i) {
    uint32_t bytes = model.inputs[i].bytes;
    uint32_t got = file.read(model.input(i), bytes);
    if (got == 0 && i == 0) return Error::EndOfMethod;
    if (got != bytes) return Error::InvalidArgument;
  }
  return Error::Ok;
}

Error write_outputs(const Model& model, File& file) {
  for (uint32_t i = 0; i < model.outputs.size; ++i) {
    if (!file.write(model.output(i), model.outputs[i].bytes)) return Error::AccessFailed;
  }
  return Error::Ok;
}

Error run_on_inputs(const Model& model, uint32_t& runs) {
  File inputs("input.bin", File::kRead);
  File outputs("output.bin", File::kWrite);
  if (!inputs.is_open() || !outputs.is_open()) return Error::AccessFailed;
  Error error;
  while ((error = read_inputs(model, inputs)) == Error::Ok) {
    if ((error = begin_sequence(model, runs)) != Error::Ok) return error;
    if ((error = run(model)) != Error::Ok) return error;
    if ((error = write_outputs(model, outputs)) != Error::Ok) return error;
    ++runs;
  }
  return error == Error::EndOfMethod ? Error::Ok : error;
}

}  // namespace

int run_harness(const Model& model) {
  trap_unaligned_accesses();
  uint32_t runs = 0;
  Error error = init(model);
  if (error == Error::Ok) error = run_on_inputs(model, runs);
  const Report report{kMagic, error, runs, model.arena_bytes, model.state_bytes, stack_bytes_used()};
  File file("report.bin", File::kWrite);
  return file.is_open() && file.write(&report, sizeof report) ? 0 : 1;
}

}  // namespace kindling
