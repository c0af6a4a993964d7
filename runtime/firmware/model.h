// A model that is built into a firmware, whichever way.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"

namespace kindling {

/// A tensor that goes into or out of a model. real = (q - zero_point) * scale.
struct TensorInfo {
  const char* name;
  const char* dtype;  // "int8", "float32" and so on
  Span<const uint32_t> shape;
  float scale;  // 0: not quantised
  int32_t zero_point;
  uint32_t bytes;
};

/// What the generated header of a model declares as <model>::kModel. Its memory is laid out at build time: there is nothing to
/// allocate, and there is one of each model.
struct Model {
  Span<const TensorInfo> inputs;
  Span<const TensorInfo> outputs;
  uint32_t arena_bytes;  // of all regions together
  uint32_t state_bytes;  // RAM beside the arena

  /// Makes the model ready to run. After an error it is not.
  Error (*init)();

  /// The same with another .pte for this environment, which stays in its place, aligned to 16 bytes, as long as the model is used.
  /// Null: the model is code.
  Error (*init_from)(Span<const uint8_t> file);

  /// Computes the outputs from the inputs.
  Error (*run)();

  /// Runs at most so many instructions: see Method::step. Null: the model is code, which runs in one go.
  Error (*step)(uint32_t instructions);

  /// Input and output lie in the arena. The outputs last until the next run's inputs are written, and a run uses up its inputs:
  /// they have to be written before every run.
  void* (*input)(uint32_t i);
  void* (*output)(uint32_t i);

  /// Puts what the model keeps from run to run back to where it starts, as init() does too: a new stream begins. An error: the model
  /// is not ready. Null: it keeps nothing.
  Error (*reset_state)() = nullptr;
};

/// The model that this firmware was linked for, as the harness finds it.
extern const Model kFirmwareModel;

}  // namespace kindling
