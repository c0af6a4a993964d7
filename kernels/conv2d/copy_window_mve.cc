// Tiles of MVE cores are int8 [depth / 16][4 pixels][16]. Windows inside the image whose taps are whole sixteens of channels are copied there
// at once, others are put in order behind the tile first.
#include "kernels/conv2d/copy_window.h"

#if KINDLING_MVE

namespace kindling {
namespace {

/// Puts the inputs of a window in order, part of which lies outside the image or whose taps do not lie next to each other in memory.
__attribute__((noinline)) void order(const Window& window, const WindowPlaces& places, const Span& rows, std::int32_t left,
                                     std::int8_t* ordered) {
  const std::int32_t depth = places.depth, row = window.kernel_width * depth;
  const Span columns = span_inside(left, window.kernel_width, window.dilation_width, window.input_width);
  if (rows.count < window.kernel_height || columns.count < window.kernel_width) {
    fill_bytes(ordered, window.outside, window.kernel_height * row);
    if (rows.count <= 0) return;
  }
  const std::int32_t row_bytes = window.input_width * window.input_channels, tap_step = window.dilation_width * window.input_channels;
  const bool contiguous = tap_step == depth;
  const std::int32_t bytes = contiguous ? columns.count * depth : depth, copied = padded_depth(bytes);
  const std::int8_t* tap = places.image + rows.first * row_bytes + columns.first * window.input_channels + places.first_channel;
  ordered += rows.before * row + columns.before * depth;
  for (std::int32_t left = contiguous && columns.count > 0 ? 1 : columns.count; left > 0; --left, tap += tap_step, ordered += depth) {
    copy_rows<16>(ordered, row - copied, tap, window.dilation_height * row_bytes - copied, bytes, rows.count);
  }
}

}  // namespace

void copy_windows(const Window& window, const WindowPlaces& places, void* scratch, std::uint32_t first, std::uint32_t pixels) {
  const std::int32_t depth = places.depth, row_bytes = window.input_width * window.input_channels;
  const std::int32_t bytes = window.kernel_width * depth, taps = window.kernel_height * bytes;
  const Span rows = span_inside(places.top, window.kernel_height, window.dilation_height, window.input_height);
  const bool contiguous = window.dilation_width == 1 && depth == window.input_channels && rows.count == window.kernel_height;
  const std::int32_t copied_bytes = padded_depth(bytes), source_gap = window.dilation_height * row_bytes - copied_bytes;
  const std::int32_t last_left = window.input_width - window.kernel_width;
  std::int8_t* const ordered = static_cast<std::int8_t*>(scratch) + kTilePixels * padded_depth(taps);
  std::int8_t* target = static_cast<std::int8_t*>(scratch) + 16 * first;
  std::int32_t left = places.left;
  const std::int8_t* source = places.image + places.top * row_bytes + left * depth;
  for (; pixels > 0; --pixels, target += 16, left += places.step, source += places.step * depth) {
    if (!contiguous || left < 0 || left > last_left) {
      order(window, places, rows, left, ordered);
    } else if (depth % 16 == 0) {
      copy_rows<kTileStep>(target, 0, source, source_gap, bytes, window.kernel_height);
      continue;
    } else {
      copy_rows<16>(ordered, bytes - copied_bytes, source, source_gap, bytes, window.kernel_height);
    }
    copy_rows<kTileStep>(target, 0, ordered, 0, taps, 1);
  }
}

}  // namespace kindling

#endif
