// dot.h on DSP cores: SMLAD adds two products of 16-bit halves.
//
// Weights lie in pairs of channels, w0 + 128 in the low and w1 in the high byte of a half, so that a word holds two taps of both. SMLAD of
// inputs and such words sums up x * (w0 + 128) + 256 * x * w1; of the low bytes alone, the first part. Three instructions thus do four
// products, and the high bytes need no extension: what they gave is the difference of both sums, of which 24 bits are left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dsp.h"
#include "kernels/linear/dot_record.h"

namespace kindling {

/// Inputs 0 and 2 of each four in one word, 1 and 3 in the next, sign-extended: the order in which SXTB16 leaves them.
using DotInput = std::int32_t;
inline constexpr std::uint32_t kDotInputsEach = 2;

inline constexpr std::uint32_t kDotSegment = 508;  // 508 * 128 * 128 < 2^23

inline constexpr std::int32_t kDotInputOffset = 0;
inline constexpr std::int32_t dot_weight_offset(std::uint32_t channel) { return channel % 2 == 0 ? 128 : 0; }
inline constexpr std::int8_t dot_shift(std::int32_t right) { return static_cast<std::int8_t>(right - 1); }
inline constexpr std::int32_t dot_right_shift(std::int8_t stored) { return stored + 1; }
inline constexpr std::uint32_t dot_place(std::uint32_t input, std::uint32_t channel) {
  const std::uint32_t tap = input % 4;
  return input / 4 * 16 + tap % 2 * 8 + channel / 2 * 4 + tap / 2 * 2 + channel % 2;
}

[[gnu::noinline]] inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  std::int32_t sum = 0;
  const auto put = [&](std::int32_t even, std::int32_t odd) {
    *row++ = even;
    *row++ = odd;
    sum = __smlad(even, 0x00010001, __smlad(odd, 0x00010001, sum));
  };
  if (is_word_aligned(input)) {
    for (; depth >= 4; depth -= 4, input += 4) put(__sxtb16(aligned_word(input)), sxtb16_odd(aligned_word(input)));
  } else {
    for (; depth >= 4; depth -= 4, input += 4) put(pack_halves(input[0], input[2]), pack_halves(input[1], input[3]));
  }
  if (depth > 0) put(pack_halves(input[0], depth > 2 ? input[2] : 0), depth > 1 ? pack_halves(input[1], 0) : 0);
  return sum;
}

/// A walk through records: for each, sums begin with what lies at `sums`, get the products of a row, and are requantised to `output` or kept
/// at `kept`.
struct DotWalk {
  const DotInput* row;
  std::uint32_t padded_depth;    // of the row, at most kDotSegment
  std::int32_t row_sum;          // as prepare_row gives it
  std::int32_t correction;       // taken from every sum
  const std::uint8_t* records;   // the first
  std::uint32_t first_input;     // of the row, among those of a record
  std::uint32_t record_bytes;    // from a record to the next
  std::uint32_t count;           // of records, at least 1
  const std::int32_t* sums;      // of the first record
  std::uint32_t sums_bytes;      // from a record's to the next's
  std::int32_t* kept;            // or nullptr
  std::int8_t* output;           // four for each record
  std::int32_t zero_point;
};

// Written out because the inner loop needs all registers, which the compiler would save around it and fill again for each record.
// clang-format off
#define KINDLING_DOT_PAIR(word, inputs, low, both)              \
  "uxtb16 %[bytes], " word "\n"                                 \
  "smlad %[" both "], %[" inputs "], " word ", %[" both "]\n"   \
  "smlad %[" low "], %[" inputs "], %[bytes], %[" low "]\n"
#define KINDLING_DOT_FOUR_TAPS                                  \
  "ldrd %[even], %[odd], [%[row]], #8\n"                        \
  "ldmia %[weights]!, {r4, r5, r6, r8}\n"                       \
  KINDLING_DOT_PAIR("r4", "even", "low0", "both01")             \
  KINDLING_DOT_PAIR("r5", "even", "low2", "both23")             \
  KINDLING_DOT_PAIR("r6", "odd", "low0", "both01")              \
  KINDLING_DOT_PAIR("r8", "odd", "low2", "both23")
/// NarrowFactor::apply and saturation of a channel, with 2 * zero point + 1 in r4, the record at `end`, the output at `odd`.
#define KINDLING_DOT_FINISH(value, multiplier, shift, place)    \
  "ldr r5, [%[end], #" multiplier "]\n"                         \
  "ldrb r6, [%[end], #" shift "]\n"                             \
  "lsl r8, r4, r6\n"                                            \
  "add r8, r8, %[" value "], asr #31\n"                         \
  "lsl %[" value "], %[" value "], #1\n"                        \
  "smmlar %[" value "], %[" value "], r5, r8\n"                 \
  "asr %[" value "], %[" value "], r6\n"                        \
  "ssat %[" value "], #8, %[" value "], asr #1\n"               \
  "strb %[" value "], [%[odd], #" place "]\n"
#define KINDLING_DOT_ENTRY(label) "adr.w %[even], " label "\n"
// clang-format on

[[gnu::noinline]] inline void walk_records(const DotWalk& walk) {
  static_assert(offsetof(DotRecord, multiplier) == 16 && offsetof(DotRecord, shift) == 32);
  const DotInput *const first_row = walk.row, *row;
  const std::uint32_t weight_bytes = kDotChannels * walk.padded_depth;
  const std::uint32_t from_record = offsetof(DotRecord, weights) + kDotChannels * walk.first_input + weight_bytes;
  const std::uint8_t* weights = walk.records + from_record - weight_bytes;
  const std::uint8_t* const last = weights + walk.count * walk.record_bytes;
  const std::uint32_t step = walk.record_bytes - weight_bytes, sums_bytes = walk.sums_bytes;
  const std::int32_t start = dot_weight_offset(0) * walk.row_sum + walk.correction, correction = walk.correction, odd_zero_point = 2 * walk.zero_point + 1;
  const std::int32_t* sums = walk.sums;
  std::int32_t* kept = walk.kept;
  std::int8_t* output = walk.output;
  std::int32_t low0, both01, low2, both23, even, odd, bytes;
  std::uint32_t end, entry;
  __asm__ volatile(
      "ldr %[end], %[weight_bytes]\n"
      "lsls %[bytes], %[end], #27\n"  // depth / 4 % 4 tells where to enter: its 2 is the carry, its 1 the sign
      KINDLING_DOT_ENTRY("1f")
      "it mi\n" "adrmi.w %[even], 4f\n"
      "bcc 5f\n"
      KINDLING_DOT_ENTRY("3f")
      "it mi\n" "adrmi.w %[even], 2f\n"
      "5:\n"
      "add %[even], #1\n"
      "str %[even], %[entry]\n"
      "0:\n"
      "ldr %[even], %[sums]\n"
      "ldr %[low0], [%[even]]\n"
      "ldr %[low2], [%[even], #8]\n"
      "ldr %[odd], %[start]\n"
      "sub %[low0], %[odd]\n"
      "sub %[low2], %[odd]\n"
      "mov %[both01], %[low0]\n"
      "mov %[both23], %[low2]\n"
      "ldr %[row], %[first_row]\n"
      "ldr %[end], %[weight_bytes]\n"
      "add %[end], %[weights]\n"
      "ldr pc, %[entry]\n"
      "1:\n"                        //
      KINDLING_DOT_FOUR_TAPS "2:\n"  //
      KINDLING_DOT_FOUR_TAPS "3:\n"  //
      KINDLING_DOT_FOUR_TAPS "4:\n"  //
      KINDLING_DOT_FOUR_TAPS
      "cmp %[weights], %[end]\n"
      "bne 1b\n"
      "sub %[both01], %[low0]\n"
      "sub %[both23], %[low2]\n"
      "ldr %[even], %[sums]\n"
      "ldr %[odd], [%[even], #4]\n"
      "add %[both01], %[odd], %[both01], asr #8\n"
      "ldr %[odd], [%[even], #12]\n"
      "add %[both23], %[odd], %[both23], asr #8\n"
      "ldr %[odd], %[correction]\n"
      "sub %[both01], %[odd]\n"
      "sub %[both23], %[odd]\n"
      "ldr %[odd], %[sums_bytes]\n"
      "add %[even], %[odd]\n"
      "str %[even], %[sums]\n"
      "ldr %[odd], %[kept]\n"
      "cmp %[odd], #0\n"
      "beq 6f\n"
      "strd %[low0], %[both01], [%[odd]], #8\n"
      "strd %[low2], %[both23], [%[odd]], #8\n"
      "str %[odd], %[kept]\n"
      "b 7f\n"
      "6:\n"
      "ldr %[end], %[from_record]\n"
      "sub %[end], %[weights], %[end]\n"
      "ldr r4, %[odd_zero_point]\n"
      "ldr %[odd], %[output]\n"               //
      KINDLING_DOT_FINISH("low0", "16", "32", "0")    //
      KINDLING_DOT_FINISH("both01", "20", "33", "1")  //
      KINDLING_DOT_FINISH("low2", "24", "34", "2")    //
      KINDLING_DOT_FINISH("both23", "28", "35", "3")
      "add %[odd], #4\n"
      "str %[odd], %[output]\n"
      "7:\n"
      "ldr %[odd], %[step]\n"
      "add %[weights], %[odd]\n"
      "ldr %[odd], %[last]\n"
      "cmp %[weights], %[odd]\n"
      "bne 0b\n"
      : [row] "=&r"(row), [weights] "+r"(weights), [low0] "=&r"(low0), [both01] "=&r"(both01), [low2] "=&r"(low2),
        [both23] "=&r"(both23), [even] "=&r"(even), [odd] "=&r"(odd), [bytes] "=&r"(bytes), [end] "=&r"(end), [sums] "+m"(sums),
        [kept] "+m"(kept), [output] "+m"(output), [entry] "=m"(entry)
      : [first_row] "m"(first_row), [weight_bytes] "m"(weight_bytes), [from_record] "m"(from_record), [last] "m"(last), [step] "m"(step),
        [sums_bytes] "m"(sums_bytes), [start] "m"(start), [correction] "m"(correction), [odd_zero_point] "m"(odd_zero_point)
      : "r4", "r5", "r6", "r8", "cc", "memory");
}
#undef KINDLING_DOT_ENTRY
#undef KINDLING_DOT_FINISH
#undef KINDLING_DOT_FOUR_TAPS
#undef KINDLING_DOT_PAIR

/// The same for `channels`, of which the last record may have less than four; they are output, not kept.
[[gnu::noinline]] inline void walk_channels(DotWalk walk, std::uint32_t channels) {
  walk.count = channels / kDotChannels;
  if (walk.count > 0) walk_records(walk);
  const std::uint32_t left = channels % kDotChannels;
  if (left == 0) return;
  std::int8_t* const output = walk.output + kDotChannels * walk.count;
  std::int8_t four[kDotChannels];
  walk.records += walk.count * walk.record_bytes;
  walk.sums += walk.count * (walk.sums_bytes / sizeof(*walk.sums));
  walk.count = 1;
  walk.output = four;
  walk_records(walk);
  for (std::uint32_t i = 0; i < left; ++i) output[i] = four[i];
}

/// multiply_row for a row of kDotSegment inputs at most.
inline void multiply_segment(const DotInput* row, std::uint32_t padded_depth, std::int32_t row_sum, const std::uint8_t* records,
                             std::uint32_t channels, std::int32_t correction, std::int32_t zero_point, std::int8_t* output) {
  const std::uint32_t record_bytes = offsetof(DotRecord, weights) + kDotChannels * padded_depth;
  const auto* biases = reinterpret_cast<const DotRecord*>(records)->bias;
  walk_channels({row, padded_depth, row_sum, correction, records, 0, record_bytes, 0, biases, record_bytes, nullptr, output, zero_point},
                channels);
}

[[gnu::noinline]] inline DotSums row_sums(const DotInput* row, std::uint32_t padded_depth, std::int32_t row_sum, const DotRecord& record,
                                          std::int32_t correction) {
  std::int32_t sums[kDotChannels] = {record.bias[0], record.bias[1], record.bias[2], record.bias[3]};
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
  DotWalk walk = {row, kDotSegment, row_sum, correction, bytes, 0, 0, 1, sums, 0, sums, nullptr, 0};
  walk.record_bytes = offsetof(DotRecord, weights) + kDotChannels * padded_depth;
  for (; padded_depth - walk.first_input > kDotSegment; walk.first_input += kDotSegment) {
    walk_records(walk);
    walk.row += kDotSegment / kDotInputsEach;
    walk.row_sum = walk.correction = 0;
  }
  walk.padded_depth = padded_depth - walk.first_input;
  walk_records(walk);
  return {sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace kindling
