// Tiles of cores with eight registers and 32-bit products only (M0, M0+, M23): each input is a word of its own, so that four pixels
// are loaded by one instruction and may be multiplied in place.
#include "kernels/conv2d/tile.h"

#if KINDLING_THUMB1

namespace kindling {
namespace {

struct Record {
  std::int32_t bias[2];
  std::int32_t multiplier[2];
  std::uint8_t right_shift[2];
  std::int8_t weights[];  // [depth][2]
};

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t, std::uint32_t pixel) : next_(static_cast<std::int32_t*>(tile) + pixel) {}

void TilePixel::copy(const std::int8_t* source, std::uint32_t count) {
  std::int32_t* next = next_;
  next_ = next + kTilePixels * count;
  for (; count > 0; --count, next += kTilePixels) *next = *source++;
}

void TilePixel::fill(std::int8_t value, std::uint32_t count) {
  for (; count > 0; --count, next_ += kTilePixels) *next_ = value;
}

void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   const Activation& activation, std::int8_t* const outputs[kTilePixels]) {
  const std::uint32_t taps = (depth + kTileDepthStep - 1) & ~(kTileDepthStep - 1);
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const std::uint32_t c = channel % 2;
    const auto* inputs = static_cast<const std::int32_t*>(tile);
    const std::int8_t* weights = record.weights + c;
    std::int32_t sum0 = record.bias[c], sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (std::uint32_t tap = depth; tap > 0; --tap, inputs += 4, weights += 2) {
      const std::int32_t weight = *weights;
      sum0 += weight * inputs[0];
      sum1 += weight * inputs[1];
      sum2 += weight * inputs[2];
      sum3 += weight * inputs[3];
    }
    const NarrowFactor factor(record.multiplier[c], record.right_shift[c], activation.zero_point);
    outputs[0][channel] = clamp(factor.apply(sum0), activation);
    outputs[1][channel] = clamp(factor.apply(sum1), activation);
    outputs[2][channel] = clamp(factor.apply(sum2), activation);
    outputs[3][channel] = clamp(factor.apply(sum3), activation);
    if (c == 1) records += (offsetof(Record, weights) + kTileChannels * taps + 3) & ~3u;
  }
}

}  // namespace kindling

#endif
