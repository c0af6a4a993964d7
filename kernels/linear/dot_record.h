// Four channels' constants and weights as linear_s8 and matmul_s8 read them.
#pragma once

#include <cstdint>

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

struct DotSums {
  std::int32_t channel0, channel1, channel2, channel3;
};

}  // namespace kindling
