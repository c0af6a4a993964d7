// What softmax and log_softmax of floats have in common.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/float_math.h"
#include "kernels/softmax/params.h"

namespace kindling {

// All of this, and the rows' functions, are to be one function: calls in it cost M55 a fourteenth of a row of 12.

/// Calls row(first input, depth, step, first output) for each row of [outer][depth][inner] over depth.
template <class Row>
[[gnu::always_inline]] inline void for_each_row(const float* input, const SoftmaxF32Params& params, float* output, Row row) {
  const std::uint32_t inner = params.inner, slice = params.depth * inner;
  for (std::uint32_t outer = params.outer; outer > 0; --outer, input += slice, output += slice) {
    for (std::uint32_t column = 0; column < inner; ++column) row(input + column, params.depth, inner, output + column);
  }
}

/// Of `depth` elements that are `step` apart; not a number if one of them is none.
[[gnu::always_inline]] inline float largest_of(const float* input, std::uint32_t depth, std::uint32_t step) {
  float largest = *input;
  for (std::uint32_t i = step, end = depth * step; i < end; i += step) largest = greater(largest, input[i]);
  return largest;
}

inline Error check_rows(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<SoftmaxF32Params>(constant, argument_bytes[1]);
  if (params == nullptr || !all_positive(params->outer, params->depth, params->inner)) return Error::InvalidArgument;
  const Size elements = Size(params->outer) * params->depth * params->inner;
  return valid_if(elements.is(floats_in(argument_bytes[0])) && argument_bytes[0] == argument_bytes[2]);
}

}  // namespace kindling
