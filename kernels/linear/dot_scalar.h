// dot.h on cores without vectors or DSP instructions, and on the host. Inputs and weights are stored plus 128: bytes without a sign need
// no extension.
#pragma once

#include <cstdint>

#include "kernels/linear/dot_record.h"

namespace kindling {

using DotInput = std::uint8_t;
inline constexpr std::uint32_t kDotInputsEach = 1;

inline constexpr std::int32_t kDotInputOffset = 128;
inline constexpr std::int32_t dot_weight_offset(std::uint32_t) { return 128; }
inline constexpr std::int8_t dot_shift(std::int32_t right) { return static_cast<std::int8_t>(right); }
inline constexpr std::int32_t dot_right_shift(std::int8_t stored) { return stored; }
inline constexpr std::uint32_t dot_place(std::uint32_t input, std::uint32_t channel) {
  return kDotChannels * input + (kDotChannels - channel) % kDotChannels;
}

inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  std::int32_t sum = 0;
  const auto put = [&](std::uint32_t i) {
    const std::int32_t value = input[i] + kDotInputOffset;
    row[i] = static_cast<DotInput>(value);
    sum += value;
  };
  for (; depth >= 4; depth -= 4, input += 4, row += 4) put(0), put(1), put(2), put(3);
  if (depth == 0) return sum;
  for (std::uint32_t i = 0; i < kDotStep; ++i) {
    if (i < depth) {
      put(i);
    } else {
      row[i] = 0;
    }
  }
  return sum;
}

#if KINDLING_THUMB1

// Written out because the compiler keeps other things than the sums in registers. Byte b of a tap is of channel -b % 4.
// clang-format off
#define KINDLING_DOT_PRODUCT(place, sum)     \
  "ldrb %[product], [%[weights], #" place "]\n" \
  "muls %[product], %[input], %[product]\n"  \
  "add %[" sum "], %[product]\n"
#define KINDLING_DOT_TAP(tap, place0, place1, place2, place3) \
  "ldrb %[input], [%[row], #" tap "]\n"      \
  KINDLING_DOT_PRODUCT(place0, "sum0")       \
  KINDLING_DOT_PRODUCT(place1, "sum3")       \
  KINDLING_DOT_PRODUCT(place2, "sum2")       \
  KINDLING_DOT_PRODUCT(place3, "sum1")
// clang-format on

[[gnu::noinline]] inline void add_products(const DotInput* row, const std::uint8_t* weights, std::uint32_t padded_depth, DotSums& sums) {
  const std::uint8_t* const end = weights + kDotChannels * padded_depth;
  std::uint32_t input, product;
  __asm__(
      ".syntax unified\n"
      "lsrs %[product], %[depth], #3\n"
      "bcc 1f\n"
      "subs %[row], #4\n"
      "subs %[weights], #16\n"
      "b 2f\n"
      "1:\n"                                  //
      KINDLING_DOT_TAP("0", "0", "1", "2", "3")      //
      KINDLING_DOT_TAP("1", "4", "5", "6", "7")      //
      KINDLING_DOT_TAP("2", "8", "9", "10", "11")    //
      KINDLING_DOT_TAP("3", "12", "13", "14", "15")  //
      "2:\n"                                  //
      KINDLING_DOT_TAP("4", "16", "17", "18", "19")  //
      KINDLING_DOT_TAP("5", "20", "21", "22", "23")  //
      KINDLING_DOT_TAP("6", "24", "25", "26", "27")  //
      KINDLING_DOT_TAP("7", "28", "29", "30", "31")  //
      "adds %[row], #8\n"
      "adds %[weights], #32\n"
      "cmp %[weights], %[end]\n"
      "bne 1b\n"
      : [row] "+l"(row), [weights] "+l"(weights), [sum0] "+h"(sums.channel0), [sum1] "+h"(sums.channel1), [sum2] "+h"(sums.channel2),
        [sum3] "+h"(sums.channel3), [input] "=&l"(input), [product] "=&l"(product)
      : [end] "l"(end), [depth] "l"(padded_depth)
      : "cc", "memory");
}
#undef KINDLING_DOT_TAP
#undef KINDLING_DOT_PRODUCT

#elif defined(__arm__)

// Two channels to a product: bytes 0 and 3 of a tap's weights are left in a word, then bytes 2 and 1 of the word turned around, and
// 64 bits hold sums of input * word, channel 0's (2's) below bit 24, channel 1's (3's) above.
// Written out because the compiler neither loads several words at once nor keeps all in registers.
// clang-format off
#define KINDLING_DOT_TAP(word)                              \
  "ldrb %[input], [%[row]], #1\n"                           \
  "and %[pair], %[outer], " word "\n"                       \
  "umlal %Q[sums01], %R[sums01], %[input], %[pair]\n"       \
  "and " word ", %[outer], " word ", ror #16\n"             \
  "umlal %Q[sums23], %R[sums23], %[input], " word "\n"
#define KINDLING_DOT_FOUR_TAPS                              \
  "ldmia %[weights]!, {r4, r5, r6, r8}\n"                   \
  KINDLING_DOT_TAP("r4") KINDLING_DOT_TAP("r5") KINDLING_DOT_TAP("r6") KINDLING_DOT_TAP("r8")
// clang-format on

inline constexpr std::uint32_t kDotSegment = 256;  // 256 * 255 * 255 < 2^24

[[gnu::noinline]] inline void add_segment(const DotInput* row, const std::uint8_t* weights, std::uint32_t padded_depth, DotSums& sums) {
  std::uint64_t sums01 = 0, sums23 = 0;
  std::uint32_t input, pair;
  __asm__(
      "lsls %[pair], %[end], #29\n"  // depth / 4 % 4 tells where to enter: its 2 is the carry, its 1 the sign
      "add %[end], %[weights], %[end], lsl #2\n"
      "bcs 5f\n"
      "bpl 1f\n"
      "b 4f\n"
      "5:\n"
      "bpl 3f\n"
      "b 2f\n"
      "1:\n"                         //
      KINDLING_DOT_FOUR_TAPS "2:\n"  //
      KINDLING_DOT_FOUR_TAPS "3:\n"  //
      KINDLING_DOT_FOUR_TAPS "4:\n"  //
      KINDLING_DOT_FOUR_TAPS
      "cmp %[weights], %[end]\n"
      "bne 1b\n"
      : [row] "+r"(row), [weights] "+r"(weights), [sums01] "+r"(sums01), [sums23] "+r"(sums23), [input] "=&r"(input), [pair] "=&r"(pair),
        [end] "+r"(padded_depth)
      : [outer] "r"(0xff0000ff)
      : "r4", "r5", "r6", "r8", "cc", "memory");
  const auto low = [](std::uint64_t both) { return static_cast<std::int32_t>(both & 0xffffff); };
  const auto high = [](std::uint64_t both) { return static_cast<std::int32_t>(both >> 24); };
  sums.channel0 += low(sums01);
  sums.channel1 += high(sums01);
  sums.channel2 += low(sums23);
  sums.channel3 += high(sums23);
}

inline void add_products(const DotInput* row, const std::uint8_t* weights, std::uint32_t padded_depth, DotSums& sums) {
  for (; padded_depth > kDotSegment; padded_depth -= kDotSegment, row += kDotSegment, weights += kDotChannels * kDotSegment) {
    add_segment(row, weights, kDotSegment, sums);
  }
  add_segment(row, weights, padded_depth, sums);
}
#undef KINDLING_DOT_FOUR_TAPS
#undef KINDLING_DOT_TAP

#else

[[gnu::noinline]] inline void add_products(const DotInput* row, const std::uint8_t* weights, std::uint32_t padded_depth, DotSums& sums) {
  for (const DotInput* const end = row + padded_depth; row != end; ++row, weights += kDotChannels) {
    sums.channel0 += *row * weights[dot_place(0, 0)];
    sums.channel1 += *row * weights[dot_place(0, 1)];
    sums.channel2 += *row * weights[dot_place(0, 2)];
    sums.channel3 += *row * weights[dot_place(0, 3)];
  }
}

#endif

}  // namespace kindling
