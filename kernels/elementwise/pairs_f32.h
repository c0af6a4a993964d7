// How kernels of two float operands walk through both (broadcast.py).
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise_f32.h"
#include "kernels/float_math.h"

namespace kindling {

/// output = operation(a, b), clamped, for all pairs of elements in order of the output.
template <class Operation>
inline void for_each_pair(const float* a, const float* b, const BinaryF32Params& params, Operation operation, float* output) {
  const Rows rows = rows_of(params);
  const std::uint32_t step_a = !rows.repeats_a, step_b = !rows.repeats_b;
  const float low = params.activation_min, high = params.activation_max;
  std::uint32_t index[kMaxOuterAxes];
  for (std::uint32_t& i : index) i = 0;  // an initialiser would be a call of memset on some cores
  for (;;) {
    const float *element_a = a, *element_b = b;
    for (std::uint32_t left = rows.length; left > 0; --left, element_a += step_a, element_b += step_b) {
      *output++ = clamped(operation(*element_a, *element_b), low, high);
    }
    std::uint32_t i = 0;
    for (;; ++i) {
      if (i == rows.outer_axes) return;
      const OuterAxis& axis = rows.axes[i];
      a += axis.stride_a, b += axis.stride_b;
      if (++index[i] < axis.size) break;
      index[i] = 0;
      a -= axis.size * axis.stride_a, b -= axis.size * axis.stride_b;
    }
  }
}

/// The check of all such kernels: sizes in elements, as strides are.
inline Error check_pairs(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<BinaryF32Params>(constant, argument_bytes[2]);
  const std::uint32_t elements[] = {floats_in(argument_bytes[0]), floats_in(argument_bytes[1]), argument_bytes[2],
                                    floats_in(argument_bytes[3])};
  return valid_if(params != nullptr && is_broadcast(*params, elements));
}

}  // namespace kindling
