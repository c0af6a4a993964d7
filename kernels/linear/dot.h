// The dot products inside linear_s8, linear_s16 and matmul_s8: one row of inputs, in the form that suits the core, with four channels' weights at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/check.h"
#include "kernels/copy.h"
#include "kernels/requantise.h"
#include "kernels/requantise_mve.h"
#include "kernels/target.h"

namespace kindling {

inline constexpr std::uint32_t kDotChannels = 4;
inline constexpr std::uint32_t kDotStep = KINDLING_MVE ? 16 : 4;  // depth is padded to a multiple of this

/// See four_records in dense.py.
struct DotRecord {
  std::int32_t bias[kDotChannels];
  std::int32_t multiplier[kDotChannels];
  std::int8_t shift[kDotChannels];
  std::uint8_t weights[];
};

inline std::uint32_t padded_dot_depth(std::uint32_t depth) { return (depth + kDotStep - 1) & ~(kDotStep - 1); }

inline Size dot_record_bytes(Size depth) { return depth.rounded_up(kDotStep) * kDotChannels + offsetof(DotRecord, weights); }

/// Bytes of a row as prepare_row writes it.
inline Size dot_row_bytes(Size depth) { return depth.rounded_up(kDotStep) * (KINDLING_DSP ? 2 : 1); }

struct DotSums {
  std::int32_t channel0, channel1, channel2, channel3;
};

#if KINDLING_MVE

using DotInput = std::int8_t;

/// Copies a row; returns what is to be added to every sum.
inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  copy_bytes(row, input, depth);
  return 0;
}

inline DotSums dot(const DotInput* row, const DotRecord& record, std::uint32_t padded_depth, std::int32_t start) {
  std::int32_t sum0 = record.bias[0] + start, sum1 = record.bias[1] + start;
  std::int32_t sum2 = record.bias[2] + start, sum3 = record.bias[3] + start;
  const std::uint8_t* weights = record.weights;
  // Written out because the compiler splits the walk through the weights.
  __asm__(
      "dls lr, %[steps]\n"
      "1:\n"
      "vldrb.8 q0, [%[row]], #16\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum0], q0, q1\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum1], q0, q1\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum2], q0, q1\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum3], q0, q1\n"
      "le lr, 1b\n"
      : [row] "+r"(row), [weights] "+r"(weights), [sum0] "+Te"(sum0), [sum1] "+Te"(sum1), [sum2] "+Te"(sum2), [sum3] "+Te"(sum3)
      : [steps] "r"(padded_depth / 16)
      : "q0", "q1", "lr", "memory");
  return {sum0, sum1, sum2, sum3};
}

#elif KINDLING_DSP

/// Inputs 0 and 2 of each four in one word, 1 and 3 in the next, sign-extended: the order in which SXTB16 leaves weights.
using DotInput = std::int32_t;

inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  const auto pair = [](std::int32_t first, std::int32_t second) { return (first & 0xffff) | (second << 16); };
  for (; depth >= 4; depth -= 4, input += 4, row += 2) {
    row[0] = pair(input[0], input[2]);
    row[1] = pair(input[1], input[3]);
  }
  if (depth > 0) {
    row[0] = pair(input[0], depth > 2 ? input[2] : 0);
    row[1] = pair(depth > 1 ? input[1] : 0, 0);
  }
  return 0;
}

/// Adds four inputs' products with the four weights in a word to each channel's sum.
// Written out because the compiler does not know SXTB16 with a rotation.
// clang-format off
#define KINDLING_DOT_CHANNEL(sum)                        \
  "ldr %[weight], [%[weights]], #4\n"                    \
  "sxtb16 %[even_weights], %[weight]\n"                  \
  "sxtb16 %[weight], %[weight], ror #8\n"                \
  "smlad %[" sum "], %[even], %[even_weights], %[" sum "]\n" \
  "smlad %[" sum "], %[odd], %[weight], %[" sum "]\n"
// clang-format on
inline void add_four_inputs(const DotInput*& row, const std::uint8_t*& weights, DotSums& sums) {
  std::int32_t even, odd, weight, even_weights;
  __asm__("ldrd %[even], %[odd], [%[row]], #8\n"  //
          KINDLING_DOT_CHANNEL("sum0") KINDLING_DOT_CHANNEL("sum1") KINDLING_DOT_CHANNEL("sum2") KINDLING_DOT_CHANNEL("sum3")
          : [row] "+r"(row), [weights] "+r"(weights), [sum0] "+r"(sums.channel0), [sum1] "+r"(sums.channel1),
            [sum2] "+r"(sums.channel2), [sum3] "+r"(sums.channel3), [even] "=&r"(even), [odd] "=&r"(odd), [weight] "=&r"(weight),
            [even_weights] "=&r"(even_weights)
          :
          : "memory");
}
#undef KINDLING_DOT_CHANNEL

inline DotSums dot(const DotInput* row, const DotRecord& record, std::uint32_t padded_depth, std::int32_t start) {
  DotSums sums = {record.bias[0] + start, record.bias[1] + start, record.bias[2] + start, record.bias[3] + start};
  const std::uint8_t* weights = record.weights;
  const std::uint8_t* const end = weights + kDotChannels * padded_depth;
  if (padded_depth & 4) add_four_inputs(row, weights, sums);
  while (weights != end) {
    add_four_inputs(row, weights, sums);
    add_four_inputs(row, weights, sums);
  }
  return sums;
}

#else

/// Weights are stored plus 128: Thumb-1 loads a byte without its sign in one instruction, with it in two. What that adds to a sum
/// is 128 times the sum of the inputs.
using DotInput = std::int8_t;

inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  std::int32_t sum = 0;
  for (std::uint32_t i = 0; i < depth; ++i) {
    row[i] = input[i];
    sum += input[i];
  }
  for (; depth % kDotStep != 0; ++depth) row[depth] = 0;
  return sum * -128;
}

inline DotSums dot(const DotInput* row, const DotRecord& record, std::uint32_t padded_depth, std::int32_t start) {
  std::int32_t sum0 = record.bias[0] + start, sum1 = record.bias[1] + start;
  std::int32_t sum2 = record.bias[2] + start, sum3 = record.bias[3] + start;
  const std::uint8_t* weights = record.weights;
  for (const DotInput* const end = row + padded_depth; row != end; row += 4, weights += 16) {
#pragma GCC unroll 4
    for (int tap = 0; tap < 4; ++tap) {
      const std::int32_t input = row[tap];
      sum0 += input * weights[4 * tap];
      sum1 += input * weights[4 * tap + 1];
      sum2 += input * weights[4 * tap + 2];
      sum3 += input * weights[4 * tap + 3];
    }
  }
  return {sum0, sum1, sum2, sum3};
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
    output[channel] = saturate(NarrowFactor(record.multiplier[channel], record.shift[channel], zero_point).apply(sum));
  };
  store_one(0, sums.channel0);
  store_one(1, sums.channel1);
  store_one(2, sums.channel2);
  store_one(3, sums.channel3);
}
#endif

}  // namespace kindling
