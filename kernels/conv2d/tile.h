// The matrix product inside convolutions: a tile holds the inputs of a few output pixels, `depth` for each, in the form in which
// the core at hand multiplies fastest; multiply_tile computes all output channels of these pixels from it. Inputs are copied into
// the tile before any output of its pixels is written, which is what lets a convolution overwrite its input.
//
// Records of weights: kernels/channels.py (pair_records, tile_records).
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

/// Bytes of scratch that holds a tile: MVE int8 [depth / 16][4][16] and one pixel more, in order, DSP int16 [depth][4] (see
/// tile_dsp.cc), Thumb-1 int32 [depth][4], others int32 [depth][2] with two pixels in a word; depth rounded up.
inline Size tile_bytes(Size depth) {
  constexpr std::uint32_t kBytesPerInput = KINDLING_MVE ? 5 : KINDLING_DSP ? 8 : 16;
  return depth.rounded_up(kTileDepthStep) * kBytesPerInput;
}

/// Bytes of a record's constants, to which its weights add kTileChannels * depth, rounded up.
inline constexpr std::uint32_t kTileConstants =
    KINDLING_MVE ? 36 : 18 + 2;  // the weights are a multiple of 8, the record of 4

inline Size tile_record_bytes(Size depth) { return depth.rounded_up(kTileDepthStep) * kTileChannels + kTileConstants; }

inline std::uint32_t tile_record_count(std::uint32_t channels) { return (channels + kTileChannels - 1) / kTileChannels; }

/// Depth as it is stored.
inline std::uint32_t padded_depth(std::uint32_t depth) { return (depth + kTileDepthStep - 1) & ~(kTileDepthStep - 1); }

#if KINDLING_MVE

inline constexpr std::int32_t kTileStep = 16 * kTilePixels;  // bytes from sixteen inputs of a pixel to the next

/// Copies rows of `bytes` bytes, sixteen by sixteen; the targets of these lie `step` apart. Gaps lead from behind the last sixteen of a row,
/// whole or not, to the next row. There is at least one byte.
template <std::int32_t step>
inline void copy_rows(std::int8_t* target, std::int32_t target_gap, const std::int8_t* source, std::int32_t source_gap,
                      std::int32_t bytes, std::int32_t rows) {
  __asm__ volatile(
      "1:\n"
      "dlstp.8 lr, %[bytes]\n"
      "2:\n"
      "vldrb.8 q0, [%[source]], #16\n"
      "vstrb.8 q0, [%[target]], %[step]\n"
      "letp lr, 2b\n"
      "add %[source], %[source_gap]\n"
      "add %[target], %[target_gap]\n"
      "subs %[rows], #1\n"
      "bne 1b\n"
      : [source] "+r"(source), [target] "+r"(target), [rows] "+r"(rows)
      : [bytes] "r"(bytes), [source_gap] "r"(source_gap), [target_gap] "r"(target_gap), [step] "i"(step)
      : "q0", "lr", "cc", "memory");
}

#else

/// Rows of a window, each of `before` inputs that lie outside the image, `inside` ones that lie next to each other in memory, and
/// `after` that lie outside again.
struct WindowRows {
  const std::int8_t* source;  // the first input inside
  std::int32_t row_bytes;     // from a row to the next
  std::int32_t count, before, inside, after;
};

/// Writes the inputs of one pixel of a tile, from the first to the last.
class TilePixel {
 public:
  TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel);

  /// The inputs of `rows`; those outside the image are `outside`.
  void copy(const WindowRows& rows, std::int8_t outside);

  void copy(const std::int8_t* source, std::int32_t count) { copy({source, 0, 1, 0, count, 0}, 0); }
  void fill(std::int8_t value, std::int32_t count) {
    if (count > 0) copy({nullptr, 0, 1, count, 0, 0}, value);
  }

 private:
#if KINDLING_DSP
  std::int8_t* next_;
  std::uint32_t steps_;  // see tile_dsp.cc
#elif KINDLING_THUMB1
  std::int32_t* next_;
#else
  std::int32_t* next_;
  bool second_;  // of the two pixels in a word
#endif
};

#if !KINDLING_DSP && !KINDLING_THUMB1
/// Where the second pixel of a word begins, see tile_scalar.cc.
inline constexpr std::uint32_t kSecondPixelBit = 23;
#endif

#endif

/// Writes a tile whose pixels' inputs lie one after the other: `pixels` times `depth`.
#if KINDLING_MVE
inline void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels) {
  const std::int32_t copied = padded_depth(depth);
  copy_rows<kTileStep>(static_cast<std::int8_t*>(tile), 16 - copied * static_cast<std::int32_t>(kTilePixels), source,
                       static_cast<std::int32_t>(depth) - copied, depth, pixels);
}
#else
void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels);

/// Writes a tile: for each pixel `above` inputs that are `outside`, those of `rows`, all inside the image, which for each pixel lie
/// `pixel_bytes` behind those of the last, and `below` that are `outside`.
void copy_four(void* tile, const WindowRows& rows, std::int32_t pixel_bytes, std::int32_t above, std::int32_t below, std::int8_t outside);
#endif

/// Where the outputs of a tile's pixels go: pixel p's first to first + p * stride.
struct TileOutputs {
  std::int8_t* first;
  std::uint32_t stride;
  std::uint32_t pixels;  // 1 to kTilePixels; the tile's others may hold anything
};

/// Writes `channels` outputs of each pixel, saturated to int8 but not yet clamped. `records` has one record for each kTileChannels
/// channels, the last perhaps in part. `segment` is how many taps the sums have room for.
void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t segment, const std::uint8_t* records,
                   std::uint32_t channels, std::int32_t zero_point, TileOutputs outputs);

}  // namespace kindling
