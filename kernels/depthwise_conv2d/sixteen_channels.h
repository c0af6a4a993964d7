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

/// Accumulators of sixteen channels in four vectors: even and odd lanes of int16 products, and of each the even and odd lanes
/// again.
struct SixteenSums {
  int32x4_t quarters[4];

  explicit SixteenSums(const SixteenRecord& record)
      : quarters{vldrwq_s32(record.bias[0]), vldrwq_s32(record.bias[1]), vldrwq_s32(record.bias[2]), vldrwq_s32(record.bias[3])} {}

  void add(int8x16_t inputs, int8x16_t weights) {
    const int16x8_t even = vmullbq_int_s8(inputs, weights), odd = vmulltq_int_s8(inputs, weights);
    quarters[0] = vaddq_s32(quarters[0], vmovlbq_s16(even));
    quarters[1] = vaddq_s32(quarters[1], vmovltq_s16(even));
    quarters[2] = vaddq_s32(quarters[2], vmovlbq_s16(odd));
    quarters[3] = vaddq_s32(quarters[3], vmovltq_s16(odd));
  }

  /// Requantised and saturated, in the order of channels.
  int8x16_t outputs(const SixteenRecord& record, std::int32_t zero_point) const {
    int16x8_t even = vuninitializedq_s16(), odd = vuninitializedq_s16();
    even = vqmovnbq_s32(even, requantised(record, 0, zero_point));
    even = vqmovntq_s32(even, requantised(record, 1, zero_point));
    odd = vqmovnbq_s32(odd, requantised(record, 2, zero_point));
    odd = vqmovntq_s32(odd, requantised(record, 3, zero_point));
    int8x16_t result = vuninitializedq_s8();
    result = vqmovnbq_s16(result, even);
    return vqmovntq_s16(result, odd);
  }

 private:
  int32x4_t requantised(const SixteenRecord& record, int quarter, std::int32_t zero_point) const {
    return requantise(quarters[quarter], vldrwq_s32(record.multiplier[quarter]), vldrbq_s32(record.shift[quarter]), zero_point);
  }
};

}  // namespace kindling

#endif
