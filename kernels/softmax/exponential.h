// What softmax and log_softmax have in common: exponentials of differences from a row's largest element, and their sum.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/requantise.h"

namespace kindling {

inline constexpr std::int32_t kSumBits = 12;  // integer bits of a sum of exponentials

/// exp(x / 2^26) for x <= 0, in units of 2^-31.
std::int32_t exponential(std::int32_t x);

/// exp of a difference of stored values, which is 0 or less and at least diff_min, in units of 2^-31.
template <class Params>
inline std::int32_t exponential_of(std::int32_t difference, const Params& params) {
  return exponential(rounding_doubling_high_multiply(difference * (1 << params.input_shift), params.input_multiplier));
}

/// Whether sizes are possible, a row's sum has room, and its largest element counts, so that the sum is not zero.
template <class Params>
inline bool is_softmax(const Params& params) {
  return all_positive(params.outer, params.depth, params.inner) && params.depth < 1u << kSumBits && params.diff_min <= 0 &&
         params.input_shift >= 0 && params.input_shift < 32;
}

struct RowSum {
  std::int32_t largest;  // element of the row
  std::int32_t sum;      // of the exponentials of differences from it, with kSumBits integer bits
};

/// Of `depth` elements that are `step` apart.
template <class Params>
inline RowSum sum_of_exponentials(const std::int8_t* input, std::uint32_t step, const Params& params) {
  const std::uint32_t end = params.depth * step;
  RowSum row = {-128, 0};
  for (std::uint32_t i = 0; i < end; i += step) row.largest = input[i] > row.largest ? input[i] : row.largest;
  for (std::uint32_t i = 0; i < end; i += step) {
    const std::int32_t difference = input[i] - row.largest;
    if (difference >= params.diff_min) row.sum += rounding_divide_by_power_of_two(exponential_of(difference, params), kSumBits);
  }
  return row;
}

/// Calls row(first input, first output) for each row of [outer][depth][inner] over depth.
template <class Params, class Row>
inline void for_each_row(const std::int8_t* input, const Params& params, std::int8_t* output, Row row) {
  for (std::uint32_t outer = 0; outer < params.outer; ++outer) {
    for (std::uint32_t column = 0; column < params.inner; ++column) row(input + column, output + column);
    input += params.depth * params.inner;
    output += params.depth * params.inner;
  }
}

}  // namespace kindling
