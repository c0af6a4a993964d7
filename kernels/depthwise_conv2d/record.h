// Records of depthwise convolution's channels on scalar and DSP cores (single_records in depthwise_conv2d.py).
#pragma once

#include <cstdint>

namespace kindling {

struct SingleRecord {
  std::int32_t bias;
  std::int32_t multiplier;
  std::uint8_t right_shift;
  std::int8_t weights[];  // [kernel_height * kernel_width]
};

}  // namespace kindling
