// dot.h on MVE cores.
#pragma once

#include <cstdint>

#include "kernels/copy.h"
#include "kernels/linear/dot_record.h"

namespace kindling {

using DotInput = std::int8_t;
inline constexpr std::uint32_t kDotInputsEach = 1;

inline constexpr std::int32_t kDotInputOffset = 0;
inline constexpr std::int32_t dot_weight_offset(std::uint32_t) { return 0; }
inline constexpr std::int8_t dot_shift(std::int32_t right) { return static_cast<std::int8_t>(-right); }
inline constexpr std::int32_t dot_right_shift(std::int8_t stored) { return -stored; }
inline constexpr std::uint32_t dot_place(std::uint32_t input, std::uint32_t channel) {
  return (input / 16 * kDotChannels + channel) * 16 + input % 16;
}

inline std::int32_t prepare_row(const std::int8_t* input, std::uint32_t depth, DotInput* row) {
  copy_bytes(row, input, depth);
  return 0;
}

inline void add_products(const DotInput* row, const std::uint8_t* weights, std::uint32_t padded_depth, DotSums& sums) {
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
      : [row] "+r"(row), [weights] "+r"(weights), [sum0] "+Te"(sums.channel0), [sum1] "+Te"(sums.channel1),
        [sum2] "+Te"(sums.channel2), [sum3] "+Te"(sums.channel3)
      : [steps] "r"(padded_depth / 16)
      : "q0", "q1", "lr", "memory");
}

}  // namespace kindling
