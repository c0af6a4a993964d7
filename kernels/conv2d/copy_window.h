// From an image into a tile: what output pixels of a convolution depend on.
#pragma once

#include <cstdint>

#include "kernels/conv2d/tile.h"
#include "kernels/span.h"

namespace kindling {

/// A window and the image it slides over. Taps outside the image read `outside`.
struct Window {
  std::int32_t input_height, input_width, input_channels, kernel_height, kernel_width, dilation_height, dilation_width;
  std::int8_t outside;
};

/// Where windows lie whose pixels follow each other in a row: the first one's first tap at row `top` and column `left` of `image`, the
/// next one's `step` columns further. Of each tap they want `depth` channels from `first_channel` on.
struct WindowPlaces {
  const std::int8_t* image;
  std::int32_t top, left, step, first_channel, depth;
};

/// Copies the inputs of `pixels` windows to the pixels of `tile` from `first` on.
#if KINDLING_MVE
void copy_windows(const Window& window, const WindowPlaces& places, void* tile, std::uint32_t first, std::uint32_t pixels);
#else
inline void copy_windows(const Window& window, const WindowPlaces& places, void* tile, std::uint32_t first, std::uint32_t pixels) {
  const std::int32_t channels = window.input_channels, row_bytes = window.input_width * channels, depth = places.depth;
  const std::int32_t kernel_width = window.kernel_width, dilation = window.dilation_width, step = window.dilation_height * row_bytes;
  const std::int32_t taps = window.kernel_height * kernel_width * depth;
  const Span rows = span_inside(places.top, window.kernel_height, window.dilation_height, window.input_height);
  const std::int8_t* const first_row = places.image + rows.first * row_bytes + places.first_channel;
  const std::int8_t outside = window.outside;
  const std::int32_t row_of_taps = kernel_width * depth, above = rows.before * row_of_taps, below = rows.after * row_of_taps;
  std::int32_t left = places.left;
  const bool lies_in_rows = dilation == 1 && depth == channels;  // the taps of a row lie next to each other in memory
  if (lies_in_rows && pixels == kTilePixels && left >= 0 && left + 3 * places.step + kernel_width <= window.input_width) {
    copy_four(tile, {first_row + left * channels, step, rows.count, 0, row_of_taps, 0}, places.step * channels, above, below, outside);
    return;
  }
  for (const std::uint32_t end = first + pixels; first < end; ++first, left += places.step) {
    TilePixel pixel(tile, taps, first);
    const Span columns = span_inside(left, kernel_width, dilation, window.input_width);
    const std::int8_t* row = first_row + columns.first * channels;
    if (above > 0) pixel.fill(outside, above);
    if (lies_in_rows) {
      pixel.copy({row, step, rows.count, columns.before * depth, columns.count * depth, columns.after * depth}, outside);
    } else {
      for (std::int32_t y = rows.count; y > 0; --y, row += step) {
        pixel.fill(outside, columns.before * depth);
        const std::int8_t* tap = row;
        for (std::int32_t x = columns.count; x > 0; --x, tap += dilation * channels) pixel.copy(tap, depth);
        pixel.fill(outside, columns.after * depth);
      }
    }
    if (below > 0) pixel.fill(outside, below);
  }
}
#endif

}  // namespace kindling
