// One factor for all elements of an integer tensor, from int8 or int16 to either.
#pragma once

#include <cstdint>

#include "kernels/quantize/elements.h"
#include "kernels/quantize/requantize.h"
#include "kernels/requantise.h"
#include "kernels/requantise_mve.h"

namespace kindling {

/// Bits by which an input grows before the factor, see requantize.py.
inline constexpr std::int32_t kFractionBits = 14;

#if KINDLING_MVE

inline int32x4_t load_four(const std::int8_t* input, mve_pred16_t lanes) { return vldrbq_z_s32(input, lanes); }
inline int32x4_t load_four(const std::int16_t* input, mve_pred16_t lanes) { return vldrhq_z_s32(input, lanes); }

/// Saturated.
inline void store_four(std::int16_t* output, int32x4_t values, mve_pred16_t lanes) {
  const int16x8_t narrow = vqmovnbq_s32(vdupq_n_s16(0), values);
  vstrhq_p_s32(output, vreinterpretq_s32_s16(narrow), lanes);
}
inline void store_four(std::int8_t* output, int32x4_t values, mve_pred16_t lanes) {
  const int8x16_t narrow = vqmovnbq_s16(vdupq_n_s8(0), vqmovnbq_s32(vdupq_n_s16(0), values));
  vstrbq_p_s32(output, vreinterpretq_s32_s8(narrow), lanes);
}

template <class Input, class Output>
inline void requantize(const Input* input, const RequantizeParams& params, Output* output) {
  const std::int32_t input_zero_point = params.input_zero_point, output_zero_point = params.output_zero_point;
  const std::int32_t multiplier = params.multiplier, shift = -params.right_shift;
  for (std::int32_t left = static_cast<std::int32_t>(params.count); left > 0; left -= 4, input += 4, output += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<std::uint32_t>(left));
    const int32x4_t centred = vsubq_n_s32(load_four(input, lanes), input_zero_point);
    const int32x4_t scaled = requantise(vshlq_n_s32(centred, kFractionBits), multiplier, shift);
    store_four(output, vaddq_n_s32(scaled, output_zero_point), lanes);
  }
}

#else

inline void store(std::int8_t* output, std::int32_t value) { *output = saturate(value); }
inline void store(std::int16_t* output, std::int32_t value) { *output = saturate16(value); }

template <class Input, class Output>
inline void requantize(const Input* input, const RequantizeParams& params, Output* output) {
  const NarrowFactor factor(params.multiplier, params.right_shift, 0);
  const std::int32_t input_zero_point = params.input_zero_point, output_zero_point = params.output_zero_point;
  for (std::uint32_t i = 0; i < params.count; ++i) {
    const std::int32_t doubled = (input[i] - input_zero_point) * (2 << kFractionBits);
    store(output + i, factor.apply_to_double(doubled) + output_zero_point);
  }
}

#endif

template <class Input, class Output>
inline Error check_requantize(const std::uint32_t* argument_bytes, const void* constant) {
  return check_conversion<RequantizeParams>(argument_bytes, constant, sizeof(Input), sizeof(Output));
}

}  // namespace kindling
