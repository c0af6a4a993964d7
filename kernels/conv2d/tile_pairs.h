// What tiles of four pixels and records of two channels have in common (scalar with 64-bit products, DSP).
#pragma once

#include "kernels/conv2d/tile.h"

namespace kindling {

/// multiply_tile by `compute(records, count, output, stride)`, which computes both channels of `count` records for all four pixels, of
/// which pixel p's go to output + p * stride.
template <class Compute>
inline void multiply_by_pairs(std::uint32_t record_bytes, const std::uint8_t* records, std::uint32_t channels, TileOutputs outputs,
                              Compute compute) {
  const std::uint32_t whole = outputs.pixels == kTilePixels ? channels / kTileChannels : 0;
  if (whole > 0) compute(records, whole, outputs.first, outputs.stride);
  for (std::uint32_t channel = whole * kTileChannels; channel < channels; channel += kTileChannels) {
    std::int8_t all[kTilePixels][kTileChannels];  // of which some are not wanted
    compute(records + channel / kTileChannels * record_bytes, 1, all[0], kTileChannels);
    for (std::uint32_t pixel = 0; pixel < outputs.pixels; ++pixel) {
      std::int8_t* output = outputs.first + pixel * outputs.stride + channel;
      output[0] = all[pixel][0];
      if (channel + 1 < channels) output[1] = all[pixel][1];
    }
  }
}

}  // namespace kindling
