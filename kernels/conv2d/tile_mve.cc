// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves both pixels,
// each vector of inputs four channels, and a record's four channels of a pixel are requantised as one vector.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/copy.h"
#include "kernels/requantise_mve.h"

namespace kindling {
namespace {

struct Record {
  std::int32_t bias[4];
  std::int32_t multiplier[4];
  std::int8_t shift[4];
  std::int8_t weights[];  // [taps / 16][4][16]
};

inline int32x4_t vector_of(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
  int32x4_t vector = vuninitializedq_s32();
  vector = vsetq_lane_s32(a, vector, 0);
  vector = vsetq_lane_s32(b, vector, 1);
  vector = vsetq_lane_s32(c, vector, 2);
  return vsetq_lane_s32(d, vector, 3);
}

std::uint32_t whole_vectors(std::uint32_t depth) { return (depth + kTileDepthStep - 1) & ~(kTileDepthStep - 1); }

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel)
    : next_(static_cast<std::int8_t*>(tile) + pixel * whole_vectors(depth)) {}

void TilePixel::copy(const std::int8_t* source, std::uint32_t count) {
  copy_bytes(next_, source, count);
  next_ += count;
}

void TilePixel::fill(std::int8_t value, std::uint32_t count) {
  fill_bytes(next_, value, count);
  next_ += count;
}

void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   const Activation& activation, std::int8_t* const outputs[kTilePixels]) {
  const std::uint32_t taps = whole_vectors(depth);
  const int32x4_t lowest = vdupq_n_s32(activation.min), highest = vdupq_n_s32(activation.max);
  std::int8_t *output0 = outputs[0], *output1 = outputs[1];
  for (std::int32_t left = static_cast<std::int32_t>(channels); left > 0; left -= 4, output0 += 4, output1 += 4) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const std::int8_t* inputs0 = static_cast<const std::int8_t*>(tile);
    const std::int8_t* inputs1 = inputs0 + taps;
    const std::int8_t* weights = record.weights;
    std::int32_t a0 = record.bias[0], a1 = record.bias[1], a2 = record.bias[2], a3 = record.bias[3];
    std::int32_t b0 = a0, b1 = a1, b2 = a2, b3 = a3;
    for (std::uint32_t steps = taps / kTileDepthStep; steps > 0; --steps, inputs0 += 16, inputs1 += 16, weights += 64) {
      const int8x16_t a = vldrbq_s8(inputs0), b = vldrbq_s8(inputs1);
      int8x16_t w = vldrbq_s8(weights);
      a0 = vmladavaq_s8(a0, a, w), b0 = vmladavaq_s8(b0, b, w);
      w = vldrbq_s8(weights + 16);
      a1 = vmladavaq_s8(a1, a, w), b1 = vmladavaq_s8(b1, b, w);
      w = vldrbq_s8(weights + 32);
      a2 = vmladavaq_s8(a2, a, w), b2 = vmladavaq_s8(b2, b, w);
      w = vldrbq_s8(weights + 48);
      a3 = vmladavaq_s8(a3, a, w), b3 = vmladavaq_s8(b3, b, w);
    }
    const int32x4_t multiplier = vldrwq_s32(record.multiplier), shift = vldrbq_s32(record.shift);
    int32x4_t a = requantise(vector_of(a0, a1, a2, a3), multiplier, shift, activation.zero_point);
    int32x4_t b = requantise(vector_of(b0, b1, b2, b3), multiplier, shift, activation.zero_point);
    a = vminq_s32(vmaxq_s32(a, lowest), highest);
    b = vminq_s32(vmaxq_s32(b, lowest), highest);
    const mve_pred16_t lanes = vctp32q(left);
    vstrbq_p_s32(output0, a, lanes);
    vstrbq_p_s32(output1, b, lanes);
    records += offsetof(Record, weights) + kTileChannels * taps;
  }
}

}  // namespace kindling

#endif
