// From an image into a tile: what one output pixel of a convolution depends on.
#pragma once

#include <cstdint>

#include "kernels/conv2d/tile.h"
#include "kernels/span.h"

namespace kindling {

/// Copies `depth` channels from `first_channel` on for each tap of a window whose first tap is at row `top` and column `left` of `image`;
/// taps outside the image read the zero point. `Window` has kernel_, dilation_ and input_height and _width, input_channels and
/// input_zero_point.
template <class Window>
inline void copy_window(const Window& window, const std::int8_t* image, std::int32_t top, std::int32_t left, std::int32_t first_channel,
                        std::int32_t depth, TilePixel tile) {
  const std::int32_t channels = window.input_channels, row_bytes = window.input_width * channels;
  const std::int32_t kernel_width = window.kernel_width, dilation = window.dilation_width;
  const Span rows = span_inside(top, window.kernel_height, window.dilation_height, window.input_height);
  const Span columns = span_inside(left, kernel_width, dilation, window.input_width);
  const std::int8_t* row = image + rows.first * row_bytes + columns.first * channels + first_channel;
  const std::int8_t outside = window.input_zero_point;
  if (rows.before > 0) tile.fill(outside, rows.before * kernel_width * depth);
  if (dilation == 1 && depth == channels) {  // the taps of a row lie next to each other in memory
    tile.copy(
        {row, window.dilation_height * row_bytes, rows.count, columns.before * depth, columns.count * depth, columns.after * depth},
        outside);
  } else {
    for (std::int32_t y = rows.count; y > 0; --y, row += window.dilation_height * row_bytes) {
      tile.fill(outside, columns.before * depth);
      const std::int8_t* tap = row;
      for (std::int32_t x = columns.count; x > 0; --x, tap += dilation * channels) tile.copy(tap, depth);
      tile.fill(outside, columns.after * depth);
    }
  }
  if (rows.after > 0) tile.fill(outside, rows.after * kernel_width * depth);
}

}  // namespace kindling
