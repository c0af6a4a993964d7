// The vector form of NarrowFactor (requantise.h).
#pragma once

#include "kernels/target.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/requantise.h"

namespace kindling {

/// requantise(accumulator) + zero point of four channels, under the conditions of `Channels.is_narrow`. `shift` is -n: VRSHL rounds
/// half up, which the accumulator's sign bit turns into half away from zero.
inline int32x4_t requantise(int32x4_t accumulator, int32x4_t multiplier, int32x4_t shift, std::int32_t zero_point) {
  const int32x4_t sign = vshrq_n_s32(accumulator, 31);
  const int32x4_t scaled = vaddq_s32(vqrdmulhq_s32(accumulator, multiplier), sign);
  return vaddq_n_s32(vrshlq_s32(scaled, shift), zero_point);
}

/// The same of one factor for all four, without a zero point.
inline int32x4_t requantise(int32x4_t accumulator, std::int32_t multiplier, std::int32_t shift) {
  const int32x4_t sign = vshrq_n_s32(accumulator, 31);
  return vrshlq_n_s32(vaddq_s32(vqrdmulhq_n_s32(accumulator, multiplier), sign), shift);
}

}  // namespace kindling

#endif
