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

/// Of a 3x3 kernel's channel: the constants and all weights but the corners on the right, which come as RightCorners.
struct Record3x3 {
  std::int32_t bias2;  // twice the bias
  std::int32_t multiplier;
  std::int8_t left_top, left_middle, left_bottom, centre_middle;
  std::int8_t centre_top, right_middle, centre_bottom;
  std::uint8_t shift;  // to the right, less 1
};
struct RightCorners {
  std::int8_t top, bottom;
};

/// records_3x3
struct WholeRecord3x3 : Record3x3 {
  RightCorners right;
  std::int8_t unused[2];
};

/// records_3x3_s2: all records, then all corners.
inline const Record3x3* first_record(const std::uint8_t* records) { return reinterpret_cast<const Record3x3*>(records); }
inline const RightCorners* first_corners(const std::uint8_t* records, std::uint32_t channels) {
  return reinterpret_cast<const RightCorners*>(first_record(records) + channels);
}

}  // namespace kindling
