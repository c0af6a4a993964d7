// The matrix product inside convolutions: a tile holds the inputs of a few output pixels, `depth` for each, in the form in which
// the core at hand multiplies fastest; multiply_tile computes all output channels of these pixels from it. Inputs are copied into the
// tile before any output of its pixels is written, which is what lets a convolution overwrite its input.
//
// Records of weights: kernels/channels.py (pair_records, quad_records).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/check.h"
#include "kernels/copy.h"
#include "kernels/requantise.h"
#include "kernels/target.h"

namespace kindling {

inline constexpr std::uint32_t kTilePixels = 4;
inline constexpr std::uint32_t kTileChannels = KINDLING_MVE ? 4 : 2;  // of a record

/// Depth as records store it: the inner loop's step.
inline constexpr std::uint32_t kTileDepthStep = KINDLING_MVE ? 16 : 4;

/// Bytes of scratch that holds a tile: MVE int8 [4][depth], others int32 [depth][2] with two pixels in a word, Thumb-1
/// int32 [depth][4]; depth rounded up.
inline Size tile_bytes(Size depth) {
  constexpr std::uint32_t kBytesPerInput = KINDLING_MVE ? 4 : KINDLING_DSP ? 8 : 16;
  return depth.rounded_up(kTileDepthStep) * kBytesPerInput;
}

/// Bytes of one record.
inline Size tile_record_bytes(Size depth) {
  constexpr std::uint32_t kConstants = KINDLING_MVE ? 36 : 18;
  return (depth.rounded_up(kTileDepthStep) * kTileChannels + kConstants).rounded_up(4);
}

inline std::uint32_t tile_record_count(std::uint32_t channels) { return (channels + kTileChannels - 1) / kTileChannels; }

/// Depth as it is stored.
inline std::uint32_t padded_depth(std::uint32_t depth) { return (depth + kTileDepthStep - 1) & ~(kTileDepthStep - 1); }

/// Rows of a window, each of `before` inputs that lie outside the image, `inside` ones that lie next to each other in memory, and
/// `after` that lie outside again.
struct WindowRows {
  const std::int8_t* source;  // the first input inside
  std::int32_t row_bytes;     // from a row to the next
  std::int32_t count, before, inside, after;
};

/// Writes the inputs of one pixel of a tile, from the first to the last.
#if KINDLING_MVE
class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel)
      : next_(static_cast<std::int8_t*>(tile) + pixel * padded_depth(depth)) {}

  void copy(const std::int8_t* source, std::int32_t count) {
    copy_bytes(next_, source, count);
    next_ += count;
  }
  void fill(std::int8_t value, std::int32_t count) {
    fill_bytes(next_, value, count);
    next_ += count;
  }
  void copy(const WindowRows& rows, std::int8_t outside) {
    const std::int32_t stride = rows.before + rows.inside + rows.after;
    if (stride != rows.inside) fill_bytes(next_, outside, rows.count * stride);
    const std::int8_t* source = rows.source;
    std::int8_t* target = next_ + rows.before;
    const mve_pred16_t lanes = vctp8q(rows.inside);
    for (std::int32_t y = rows.count; y > 0; --y, source += rows.row_bytes, target += stride) {
      vstrbq_p_s8(target, vldrbq_z_s8(source, lanes), lanes);
      if (rows.inside > 16) copy_bytes(target + 16, source + 16, rows.inside - 16);
    }
    next_ += rows.count * stride;
  }

 private:
  std::int8_t* next_;
};
#else
/// Where the second pixel of a word begins, see tile_scalar.cc.
inline constexpr std::uint32_t kSecondPixelBit = 23;

class TilePixel {
 public:
#if KINDLING_THUMB1
  TilePixel(void* tile, std::uint32_t, std::uint32_t pixel) : next_(static_cast<std::int32_t*>(tile) + pixel) {}
#else
  TilePixel(void* tile, std::uint32_t, std::uint32_t pixel)
      : next_(static_cast<std::int32_t*>(tile) + pixel / 2), second_(pixel % 2 == 1) {}
#endif

  void copy(const std::int8_t* source, std::int32_t count) { write(source, 1, count); }
  void fill(std::int8_t value, std::int32_t count) { write(&value, 0, count); }
  void copy(const WindowRows& rows, std::int8_t outside) {
    const std::int8_t* source = rows.source;
    for (std::int32_t y = rows.count; y > 0; --y, source += rows.row_bytes) {
      if (rows.before > 0) fill(outside, rows.before);
      copy(source, rows.inside);
      if (rows.after > 0) fill(outside, rows.after);
    }
  }

 private:
  void write(const std::int8_t* source, std::int32_t step, std::int32_t count) {
    std::int32_t* next = next_;
#if KINDLING_THUMB1
    for (; count > 0; --count, source += step, next += kTilePixels) *next = *source;
#else
    if (second_) {
      for (; count > 0; --count, source += step, next += 2) *next += *source * (1 << kSecondPixelBit);
    } else {
      for (; count > 0; --count, source += step, next += 2) *next = *source;
    }
#endif
    next_ = next;
  }

  std::int32_t* next_;
#if !KINDLING_THUMB1
  bool second_;
#endif
};
#endif

/// Writes a tile whose pixels' inputs lie one after the other: `pixels` times `depth`.
inline void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels) {
#if KINDLING_MVE
  for (std::uint32_t pixel = 0; pixel < pixels; ++pixel, source += depth) TilePixel(tile, depth, pixel).copy(source, depth);
#else
  const std::int8_t* const last = source + (pixels - 1) * depth;  // stands in for pixels that are not there
  const std::int8_t* const pixel0 = source;
  const std::int8_t* const pixel1 = pixels > 1 ? source + depth : last;
  const std::int8_t* const pixel2 = pixels > 2 ? source + 2 * depth : last;
  auto* next = static_cast<std::int32_t*>(tile);
  for (std::uint32_t i = 0; i < depth; ++i) {
#if KINDLING_THUMB1
    next[0] = pixel0[i], next[1] = pixel1[i], next[2] = pixel2[i], next[3] = last[i];
    next += 4;
#else
    next[0] = pixel0[i] + pixel1[i] * (1 << kSecondPixelBit);
    next[1] = pixel2[i] + last[i] * (1 << kSecondPixelBit);
    next += 2;
#endif
  }
#endif
}

/// Where the outputs of a tile's pixels go: pixel p's first to first + p * stride.
struct TileOutputs {
  std::int8_t* first;
  std::uint32_t stride;
  std::uint32_t pixels;  // 1 to kTilePixels; the tile's others may hold anything
};

/// Writes `channels` outputs of each pixel, saturated to int8 but not yet clamped. `records` has one record for each kTileChannels
/// channels, the last perhaps in part.
void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs);

}  // namespace kindling
