// Conversions between float and integers of 8 or 16 bits.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/quantize/quantize.h"

namespace kindling {

/// To the nearest integer, half to even, of a number in [-2^22, 2^22]: adding 1.5 * 2^23 leaves the integer in the low bits.
inline std::int32_t rounded(float x) {
  constexpr float kMagic = 12582912.0f;
  const float shifted = x + kMagic;
  std::int32_t bits;
  static_assert(sizeof(bits) == sizeof(shifted));
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return bits - 0x4b400000;
}

template <class Integer>
inline void quantize(const float* input, const QuantizeParams& params, Integer* output) {
  constexpr std::int32_t kLowest = -(1 << (8 * sizeof(Integer) - 1)), kHighest = -kLowest - 1;
  constexpr float kLimit = -2 * kLowest;  // whatever the zero point, beyond it all is clamped
  for (std::uint32_t i = 0; i < params.count; ++i) {
    float x = input[i] * params.inverse_scale;
    if (!(x > -kLimit)) x = x <= -kLimit ? -kLimit : 0.0f;  // not a number becomes 0
    if (x > kLimit) x = kLimit;
    std::int32_t value = rounded(x) + params.zero_point;
    if (value < kLowest) value = kLowest;
    if (value > kHighest) value = kHighest;
    output[i] = static_cast<Integer>(value);
  }
}

template <class Integer>
inline void dequantize(const Integer* input, const DequantizeParams& params, float* output) {
  for (std::uint32_t i = 0; i < params.count; ++i) output[i] = static_cast<float>(input[i] - params.zero_point) * params.scale;
}

/// Of tensors with `count` elements of these sizes.
template <class Params>
inline Error check_conversion(const std::uint32_t* argument_bytes, const void* constant, std::uint32_t input_itemsize,
                              std::uint32_t output_itemsize) {
  const auto* params = params_of<Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && (Size(params->count) * input_itemsize).is(argument_bytes[0]) &&
                  (Size(params->count) * output_itemsize).is(argument_bytes[2]));
}

}  // namespace kindling
