// How somebody watches a model run, step by step. A step is one instruction of the .pte, whether interpreted or baked. The generated
// code of an observed model calls all this; that of any other knows nothing of it.
#pragma once

#include <cstdint>

#include "runtime/span.h"

// Empty. An emulator counts the instructions of each step between them.
extern "C" {
void kindling_mark_step_begin();
void kindling_mark_step_end();
}

namespace kindling {

/// Called around each step. Exactly one of the libraries that a firmware is linked with defines them.
void step_begins(uint32_t step);
void step_ended(uint32_t step);

/// Where the outputs of a step lie once it has ended, and until something is written over them.
using StepOutputs = Span<const Span<const uint8_t>>;

/// By step.
extern const Span<const StepOutputs> kStepOutputs;

/// A step, from here to the end of the scope.
class ObservedStep {
 public:
  explicit ObservedStep(uint32_t step) : step_(step) {
    step_begins(step);
    kindling_mark_step_begin();
  }
  ~ObservedStep() {
    kindling_mark_step_end();
    step_ended(step_);
  }
  ObservedStep(const ObservedStep&) = delete;
  ObservedStep& operator=(const ObservedStep&) = delete;

 private:
  uint32_t step_;
};

}  // namespace kindling
