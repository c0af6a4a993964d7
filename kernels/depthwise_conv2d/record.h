// Records of depthwise convolution's channels on scalar and DSP cores, as depthwise_conv2d.py packs them.
#pragma once

#include <cstdint>

namespace kindling {

/// single_records
struct SingleRecord {
  std::int32_t bias;
  std::int32_t multiplier;
  std::uint8_t right_shift;
  std::int8_t weights[];  // [kernel_height * kernel_width]
};

/// records_3x3
struct Record3x3 {
  std::int32_t bias2;  // twice the bias
  std::int32_t multiplier;
  std::int8_t left_top, left_middle, left_bottom, centre_middle;
  std::int8_t centre_top, right_middle, centre_bottom;
  std::uint8_t shift;  // to the right, less 1
  std::int8_t right_top, unused0, right_bottom, unused1;
};

}  // namespace kindling
