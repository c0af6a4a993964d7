// A model that has been built into a firmware, whichever way.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"

namespace kindling {

/// What the generated header of a model describes of a tensor that goes in or out. real = (q - zero_point) * scale.
struct TensorInfo {
  const char* name;
  const char* dtype;  // "int8", "float32" and so on
  Span<const uint32_t> shape;
  float scale;  // 0: not quantised
  int32_t zero_point;
  uint32_t bytes;
};

/// The generated header of a model defines one of these as <model>::kModel. Every model of a firmware has its own memory, given
/// at build time; there is nothing to allocate or release.
struct Model {
  Span<const TensorInfo> inputs;
  Span<const TensorInfo> outputs;
  uint32_t arena_bytes;  // of all regions together
  uint32_t state_bytes;  // RAM beside the arena

  /// Makes the model ready to run. After an error it is not.
  Error (*init)();
  /// Computes the outputs from the inputs. Both lie in the arena: outputs last until the inputs of the next run are written, and
  /// inputs have to be written before every run.
  Error (*run)();
  void* (*input)(uint32_t i);
  void* (*output)(uint32_t i);
};

}  // namespace kindling
