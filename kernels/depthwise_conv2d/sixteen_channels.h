// Depthwise convolution of sixteen channels at a time, on MVE.
#pragma once

#include "kernels/target.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include <cstdint>

#include "kernels/requantise_mve.h"

namespace kindling {

/// sixteen_records in depthwise_conv2d.py, which also has the order of channels.
struct SixteenRecord {
  std::int32_t bias[4][4];
  std::int32_t multiplier[4][4];
  std::int8_t shift[4][4];
  std::int8_t weights[];  // [kernel_height * kernel_width][16]
};

/// Accumulators of sixteen channels in four vectors: even and odd lanes of int16 products, and of each the even and odd lanes again.
class SixteenSums {
 public:
  explicit SixteenSums(const SixteenRecord& record)
      : sums_{vldrwq_s32(record.bias[0]), vldrwq_s32(record.bias[1]), vldrwq_s32(record.bias[2]), vldrwq_s32(record.bias[3])} {}

  void add(int8x16_t inputs, int8x16_t weights) { add_int16(vmullbq_int_s8(inputs, weights), vmulltq_int_s8(inputs, weights)); }

  /// Two taps at once, whose products add up within int16: weights are at least -127.
  void add(int8x16_t inputs0, int8x16_t weights0, int8x16_t inputs1, int8x16_t weights1) {
    add_int16(vaddq_s16(vmullbq_int_s8(inputs0, weights0), vmullbq_int_s8(inputs1, weights1)),
              vaddq_s16(vmulltq_int_s8(inputs0, weights0), vmulltq_int_s8(inputs1, weights1)));
  }

  /// Requantised, clamped, in the order of channels.
  int8x16_t outputs(const SixteenRecord& record, const Activation& activation) const {
    int16x8_t even = vuninitializedq_s16(), odd = vuninitializedq_s16();
    even = vqmovnbq_s32(even, requantised(record, 0, activation));
    even = vqmovntq_s32(even, requantised(record, 1, activation));
    odd = vqmovnbq_s32(odd, requantised(record, 2, activation));
    odd = vqmovntq_s32(odd, requantised(record, 3, activation));
    int8x16_t result = vuninitializedq_s8();
    result = vqmovnbq_s16(result, even);
    result = vqmovntq_s16(result, odd);
    return vminq_s8(vmaxq_s8(result, vdupq_n_s8(activation.min)), vdupq_n_s8(activation.max));
  }

 private:
  void add_int16(int16x8_t even, int16x8_t odd) {
    sums_[0] = vaddq_s32(sums_[0], vmovlbq_s16(even));
    sums_[1] = vaddq_s32(sums_[1], vmovltq_s16(even));
    sums_[2] = vaddq_s32(sums_[2], vmovlbq_s16(odd));
    sums_[3] = vaddq_s32(sums_[3], vmovltq_s16(odd));
  }

  int32x4_t requantised(const SixteenRecord& record, int quarter, const Activation& activation) const {
    return requantise(sums_[quarter], vldrwq_s32(record.multiplier[quarter]), vldrbq_s32(record.shift[quarter]),
                      activation.zero_point);
  }

  int32x4_t sums_[4];
};

}  // namespace kindling

#endif
