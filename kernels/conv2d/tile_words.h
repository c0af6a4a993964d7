// Tiles in which a pixel has a word for each tap, or a part of it.
#pragma once

#include "kernels/conv2d/tile.h"

#if !KINDLING_MVE && !KINDLING_DSP

namespace kindling {

/// Calls `put` with every kStep-th word from `next` on and an input of `rows`, and returns where it stopped.
template <std::uint32_t kStep, class Put>
inline std::int32_t* write_rows(std::int32_t* next, const WindowRows& rows, std::int32_t outside, Put put) {
  const std::int8_t* row = rows.source;
  const std::int32_t before = rows.before, inside = rows.inside, after = rows.after;
  for (std::int32_t y = rows.count; y > 0; --y, row += rows.row_bytes) {
    for (std::int32_t i = before; i > 0; --i, next += kStep) put(*next, outside);
    const std::int8_t* source = row;
    std::int32_t i = inside;
    for (; i >= 3; i -= 3, source += 3, next += 3 * kStep) {  // three taps' rows are what there is most of
      put(next[0], source[0]), put(next[kStep], source[1]), put(next[2 * kStep], source[2]);
    }
    for (; i > 0; --i, next += kStep) put(*next, *source++);
    for (i = after; i > 0; --i, next += kStep) put(*next, outside);
  }
  return next;
}

/// Where four pixels' inputs of a tap lie.
struct FourSources {
  const std::int8_t *pixel0, *pixel1, *pixel2, *pixel3;
};

/// Calls `put` for `count` taps' inputs of four pixels, with the tile's place, which it moves on, and a function from pixel to input.
template <class Put>
inline std::int32_t* write_four(std::int32_t* next, FourSources from, std::int32_t count, Put put) {
  for (std::int32_t i = 0; i < count; ++i) {
    put(next, [&](int pixel) -> std::int32_t {
      return (pixel == 0 ? from.pixel0 : pixel == 1 ? from.pixel1 : pixel == 2 ? from.pixel2 : from.pixel3)[i];
    });
  }
  return next;
}

/// copy_pixels, by `put`.
template <class Put>
inline void write_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels, Put put) {
  const std::int8_t* const last = source + (pixels - 1) * depth;  // stands in for pixels that are not there
  const FourSources from = {source, pixels > 1 ? source + depth : last, pixels > 2 ? source + 2 * depth : last, last};
  write_four(static_cast<std::int32_t*>(tile), from, static_cast<std::int32_t>(depth), put);
}

/// copy_four, by `put`.
template <class Put>
inline void write_windows(void* tile, const WindowRows& rows, std::int32_t pixel_bytes, std::int32_t above, std::int32_t below,
                          std::int32_t outside, Put put) {
  auto* next = static_cast<std::int32_t*>(tile);
  const auto put_outside = [&](std::int32_t count) {
    for (; count > 0; --count) put(next, [&](int) { return outside; });
  };
  put_outside(above);
  const std::int8_t* row = rows.source;
  for (std::int32_t y = rows.count; y > 0; --y, row += rows.row_bytes) {
    next = write_four(next, {row, row + pixel_bytes, row + 2 * pixel_bytes, row + 3 * pixel_bytes}, rows.inside, put);
  }
  put_outside(below);
}

}  // namespace kindling

#endif
