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

/// Writes the inputs of one pixel of a tile, from the first to the last.
#if KINDLING_MVE
class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel)
      : next_(static_cast<std::int8_t*>(tile) + pixel * padded_depth(depth)) {}

  void copy(const std::int8_t* source, std::uint32_t count) {
    copy_bytes(next_, source, count);
    next_ += count;
  }
  void fill(std::int8_t value, std::uint32_t count) {
    fill_bytes(next_, value, count);
    next_ += count;
  }

 private:
  std::int8_t* next_;
};
#elif KINDLING_THUMB1
class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t, std::uint32_t pixel) : next_(static_cast<std::int32_t*>(tile) + pixel) {}

  void copy(const std::int8_t* source, std::uint32_t count) {
    for (; count > 0; --count, next_ += kTilePixels) *next_ = *source++;
  }
  void fill(std::int8_t value, std::uint32_t count) {
    for (; count > 0; --count, next_ += kTilePixels) *next_ = value;
  }

 private:
  std::int32_t* next_;
};
#else
/// Where the second pixel of a word begins, see tile_scalar.cc.
inline constexpr std::uint32_t kSecondPixelBit = 23;

class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t, std::uint32_t pixel)
      : next_(static_cast<std::int32_t*>(tile) + pixel / 2), second_(pixel % 2 == 1) {}

  void copy(const std::int8_t* source, std::uint32_t count) {
    for (; count > 0; --count) write(*source++);
  }
  void fill(std::int8_t value, std::uint32_t count) {
    for (; count > 0; --count) write(value);
  }

 private:
  void write(std::int32_t value) {
    if (second_) {
      *next_ += value * (1 << kSecondPixelBit);
    } else {
      *next_ = value;
    }
    next_ += 2;
  }

  std::int32_t* next_;
  bool second_;
};
#endif

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
