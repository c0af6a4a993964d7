// How the elements of a tensor lie in memory, for kernels that take any order of axes.
#pragma once

#include <cstdint>

namespace kindling {

/// Elements between neighbours along each axis of an image tensor. Of the weights of a convolution `batch` is between output channels,
/// `channel` between input channels of a group.
struct ImageStrides {
  std::int32_t batch, row, column, channel;
};

/// Of a tensor without gaps in order [batch][row][column][channel].
constexpr ImageStrides channels_last(std::int32_t height, std::int32_t width, std::int32_t channels) {
  return {height * width * channels, width * channels, channels, 1};
}

/// Of one in order [batch][channel][row][column].
constexpr ImageStrides channels_first(std::int32_t height, std::int32_t width, std::int32_t channels) {
  return {channels * height * width, width, 1, height * width};
}

/// Elements between neighbours along each axis of a matrix; 0 repeats.
struct MatrixStrides {
  std::int32_t row, column;
};

}  // namespace kindling
