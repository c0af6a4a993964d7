// Copying a block: bytes along nested axes, each with its own step on either side.
#pragma once

#include <cstdint>

namespace kindling {

/// One axis of a block, as params constants hold it. Steps are in bytes and may be zero or negative.
struct CopyAxis {
  std::int32_t size, input_step, output_step;
};

/// The most axes of a block. move.py refuses blocks that have more.
inline constexpr std::uint32_t kMostAxes = 8;

/// Copies a block of 2 to kMostAxes axes, the first the outermost, in rising order of each.
void copy_block(const std::int8_t* input, const CopyAxis* axes, std::uint32_t rank, std::int8_t* output);

/// Whether a block whose first bytes lie at these offsets stays inside both buffers. `axes_bytes` is what there is room for.
bool block_fits(std::uint32_t axes_bytes, const CopyAxis* axes, std::uint32_t rank, std::uint32_t input_offset, std::uint32_t input_bytes,
                std::uint32_t output_offset, std::uint32_t output_bytes);

}  // namespace kindling
