// The dot products inside linear_s8, linear_s16 and matmul_s8: one row of inputs, in the form that suits the core, with four channels'
// weights at a time.
//
// Each tier has in a header of its own
//   DotInput                  what a row consists of, each of kDotInputsEach inputs
//   kDotInputOffset           inputs lie in a row plus this. Biases are folded for it: less it times the sum of a channel's weights.
//   dot_weight_offset(c)      weights of channel c of a record lie plus this
//   dot_shift(n)              how a shift to the right by n is stored, which dot_right_shift takes back
//   dot_place(input, c)       where a weight lies
//   prepare_row               int8 [depth] -> a row; returns the sum of its inputs, with their offsets
//   add_products              adds those of a row and a record's weights to four sums
// of which DSP has, instead of the last, row_sums and the loop through records for itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/check.h"
#include "kernels/linear/dot_record.h"
#include "kernels/requantise.h"

#if KINDLING_MVE
#include "kernels/linear/dot_mve.h"
#include "kernels/requantise_mve.h"
#elif KINDLING_DSP
#include "kernels/linear/dot_dsp.h"
#else
#include "kernels/linear/dot_scalar.h"
#endif

namespace kindling {

inline std::uint32_t padded_dot_depth(std::uint32_t depth) { return (depth + kDotStep - 1) & ~(kDotStep - 1); }

inline Size dot_record_bytes(Size depth) { return depth.rounded_up(kDotStep) * kDotChannels + offsetof(DotRecord, weights); }

/// Bytes of a row as prepare_row writes it.
inline Size dot_row_bytes(Size depth) { return depth.rounded_up(kDotStep) * (sizeof(DotInput) / kDotInputsEach); }

#if !KINDLING_DSP
/// The sums of a record, of a row of any depth whose inputs' sum is `row_sum`; `correction` is taken from all of them.
inline DotSums row_sums(const DotInput* row, std::uint32_t padded_depth, std::int32_t row_sum, const DotRecord& record,
                        std::int32_t correction) {
  correction += dot_weight_offset(0) * row_sum;  // of all channels alike
  DotSums sums = {record.bias[0] - correction, record.bias[1] - correction, record.bias[2] - correction, record.bias[3] - correction};
  add_products(row, record.weights, padded_depth, sums);
  return sums;
}
#endif

/// Stores `count` outputs, of the four sums or the first of them.
#if KINDLING_MVE
inline void store_sums(const DotSums& sums, const DotRecord& record, std::int32_t zero_point, std::int8_t* output,
                       std::uint32_t count) {
  const std::int32_t lanes[] = {sums.channel0, sums.channel1, sums.channel2, sums.channel3};
  const int32x4_t result = requantise(vldrwq_s32(lanes), vldrwq_s32(record.multiplier), vldrbq_s32(record.shift), zero_point);
  vstrbq_p_s32(output, vminq_s32(vmaxq_s32(result, vdupq_n_s32(-128)), vdupq_n_s32(127)), vctp32q(count));
}
#else
inline void store_sums(const DotSums& sums, const DotRecord& record, std::int32_t zero_point, std::int8_t* output,
                       std::uint32_t count) {
  const auto store_one = [&](std::uint32_t channel, std::int32_t sum) {
    if (channel >= count) return;
    output[channel] = saturate(NarrowFactor(record.multiplier[channel], dot_right_shift(record.shift[channel]), zero_point).apply(sum));
  };
  store_one(0, sums.channel0);
  store_one(1, sums.channel1);
  store_one(2, sums.channel2);
  store_one(3, sums.channel3);
}
#endif

/// Computes `channels` outputs.
inline void multiply_row(const DotInput* row, std::uint32_t padded_depth, std::int32_t row_sum, const std::uint8_t* records,
                         std::uint32_t channels, std::int32_t correction, std::int32_t zero_point, std::int8_t* output) {
#if KINDLING_DSP
  if (padded_depth <= kDotSegment) {
    return multiply_segment(row, padded_depth, row_sum, records, channels, correction, zero_point, output);
  }
#endif
  for (std::uint32_t channel = 0; channel < channels; channel += kDotChannels) {
    const DotRecord& record = *reinterpret_cast<const DotRecord*>(records);
    store_sums(row_sums(row, padded_depth, row_sum, record, correction), record, zero_point, output + channel, channels - channel);
    records += offsetof(DotRecord, weights) + kDotChannels * padded_depth;
  }
}

}  // namespace kindling
