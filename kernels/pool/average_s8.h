// Averages over windows of int8.
#pragma once

#include <cstdint>

#include "kernels/requantise.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {

/// Sum over count, rounded half away from zero.
inline std::int32_t rounded_quotient(std::int32_t sum, std::int32_t count) {
  const std::int32_t half = count / 2;
  return (sum > 0 ? sum + half : sum - half) / count;
}

/// Where a window's taps are: `rows` times `columns` of them, of which neighbours are these many bytes apart.
struct Taps {
  const std::int8_t* first;
  std::int32_t rows, columns, row_step, column_step;
};

inline constexpr std::int32_t kLanes = 4;  // channels at a time

/// Adds the taps of four channels, or of the fewer that are left.
#if KINDLING_MVE
inline void add_taps(const Taps& taps, std::int32_t channels_left, std::int32_t (&sums)[kLanes]) {
  const mve_pred16_t lanes = vctp32q(channels_left);
  int32x4_t sum = vldrwq_s32(sums);
  const std::int8_t* row = taps.first;
  for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
    const std::int8_t* tap = row;
    for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) sum = vaddq_s32(sum, vldrbq_z_s32(tap, lanes));
  }
  vstrwq_s32(sums, sum);
}
#else
inline void add_taps(const Taps& taps, std::int32_t channels_left, std::int32_t (&sums)[kLanes]) {
  std::int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  // Where there are fewer channels, the first stands in for the others.
  const std::int32_t at1 = channels_left > 1 ? 1 : 0, at2 = channels_left > 2 ? 2 : 0, at3 = channels_left > 3 ? 3 : 0;
  const std::int8_t* row = taps.first;
  for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
    const std::int8_t* tap = row;
    for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) {
      sum0 += tap[0], sum1 += tap[at1], sum2 += tap[at2], sum3 += tap[at3];
    }
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}
#endif

/// Averages of all channels: of each the taps and `padding` summed, over `count`. Sizes and bounds are those of the params.
template <class Params>
[[gnu::always_inline]] inline void average_taps(Taps taps, const Params& params, std::int32_t padding, std::int32_t count,
                                                std::int8_t* output) {
  const std::int32_t channels = params.channels;
  if (taps.columns == params.input_width) {  // one row, as it were
    taps.columns *= taps.rows;
    taps.rows = 1;
  }
  for (std::int32_t channel = 0; channel < channels; channel += kLanes, taps.first += kLanes) {
    std::int32_t sums[kLanes] = {padding, padding, padding, padding};
    add_taps(taps, channels - channel, sums);
    for (std::int32_t i = 0; i < kLanes && channel + i < channels; ++i) {
      *output++ = clamp(rounded_quotient(sums[i], count), params.activation_min, params.activation_max);
    }
  }
}

}  // namespace kindling
