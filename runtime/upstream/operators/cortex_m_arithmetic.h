// What cortex_m operators have in common: from sums back to int8, as CMSIS-NN rounds.
#pragma once

#include <cstdint>

#include "kernels/requantise.h"
#include "runtime/upstream/call.h"

namespace kindling::upstream {

/// real factor = multiplier * 2^(shift - 31); what is subtracted has a negative one
struct Factor {
  int32_t multiplier, shift;

  int32_t apply(int32_t value) const { return requantise(value, multiplier, shift); }
};

inline bool is_sane(Factor factor) { return factor.multiplier > INT32_MIN && factor.shift >= -31 && factor.shift <= 30; }

/// Arguments `i` and `i` + 1.
inline Factor factor_of(Call& call, uint32_t i) {
  const Factor factor = {call.integer(i), call.integer(i + 1)};
  call.require(is_sane(factor));
  return factor;
}

/// A zero point, or its opposite: argument `i`. Clamps to constants give some that no int8 is.
inline int32_t offset_of(Call& call, uint32_t i) {
  const int32_t offset = call.integer(i);
  call.require(offset > -(1 << 15) && offset < 1 << 15);
  return offset;
}

/// What follows the factor.
struct Rail {
  int32_t zero_point, min, max;

  int8_t apply(int32_t value) const {
    const int64_t shifted = int64_t{value} + zero_point;
    return static_cast<int8_t>(shifted < min ? min : shifted > max ? max : shifted);
  }
};

/// Of the arguments of these numbers.
inline Rail rail_of(Call& call, uint32_t zero_point, uint32_t min, uint32_t max) {
  const Rail rail = {offset_of(call, zero_point), call.integer(min), call.integer(max)};
  call.require(rail.min >= -128 && rail.max <= 127 && rail.min <= rail.max);
  return rail;
}

/// Sums wrap around, as C's do on every core, so that no weights make them undefined.
inline void add_product(uint32_t& sum, int32_t a, int32_t b) { sum += static_cast<uint32_t>(a) * static_cast<uint32_t>(b); }

}  // namespace kindling::upstream
