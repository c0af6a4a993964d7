// The matrix product inside convolutions: a tile holds the inputs of a few output pixels, `depth` for each, in the form in which
// the core at hand multiplies fastest; multiply_tile computes all output channels of these pixels from it. Inputs are copied into the
// tile before any output of its pixels is written, which is what lets a convolution overwrite its input.
//
// Records of weights: kernels/channels.py (pair_records, quad_records).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/check.h"
#include "kernels/requantise.h"
#include "kernels/target.h"

namespace kindling {

#if KINDLING_MVE
inline constexpr std::uint32_t kTilePixels = 2;   // int8 [2][depth rounded up to 16]
inline constexpr std::uint32_t kTileChannels = 4;
#else
inline constexpr std::uint32_t kTilePixels = 4;   // int32 [depth][2], each a pair of pixels; Thumb-1: int32 [depth][4]
inline constexpr std::uint32_t kTileChannels = 2;
#endif

/// Depth as records store it: the inner loop's step.
inline constexpr std::uint32_t kTileDepthStep = KINDLING_MVE ? 16 : 4;

/// Bytes of scratch that holds a tile.
inline Size tile_bytes(Size depth) {
  constexpr std::uint32_t kBytesPerInput = KINDLING_MVE ? 2 : KINDLING_DSP ? 8 : 16;
  return depth.rounded_up(kTileDepthStep) * kBytesPerInput;
}

/// Bytes of one record.
inline Size tile_record_bytes(Size depth) {
  constexpr std::uint32_t kConstants = KINDLING_MVE ? 36 : 18;
  return (depth.rounded_up(kTileDepthStep) * kTileChannels + kConstants).rounded_up(4);
}

inline std::uint32_t tile_record_count(std::uint32_t channels) { return (channels + kTileChannels - 1) / kTileChannels; }

/// Writes the inputs of one pixel of a tile, from the first to the last.
class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel);

  void copy(const std::int8_t* source, std::uint32_t count);
  void fill(std::int8_t value, std::uint32_t count);

 private:
#if KINDLING_MVE
  std::int8_t* next_;
#else
  std::int32_t* next_;
#if !KINDLING_THUMB1
  bool second_of_pair_;
#endif
#endif
};

/// Writes `channels` outputs of each pixel of the tile to outputs[pixel]. Where a tile has fewer pixels than kTilePixels, the
/// others repeat one, inputs and output alike. `records` has one record for each kTileChannels channels, the last perhaps in part.
void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   const Activation& activation, std::int8_t* const outputs[kTilePixels]);

}  // namespace kindling
