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

void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth);
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
    const NarrowFactor factor(record.multiplier[c], record.right_shift[c], zero_point);
    const std::int32_t sums[kTilePixels] = {sum0, sum1, sum2, sum3};
    std::int8_t* output = outputs.first + channel;
    for (std::uint32_t i = 0; i < outputs.pixels; ++i, output += outputs.stride) *output = saturate(factor.apply(sums[i]));
    if (c == 1) records += (offsetof(Record, weights) + kTileChannels * taps + 3) & ~3u;
  }
}

}  // namespace kindling

#endif
