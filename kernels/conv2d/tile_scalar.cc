// Tiles of cores that multiply 32 by 32 to 64 bits (M3 and up without MVE, and the host).
//
// One word of a tile holds a tap's inputs of two pixels, x0 + x1 * 2^23. A 64-bit accumulator of word * weight then sums both
// pixels' products at once: the first pixel's sum in its low 23 bits, the second's above. The first must stay within
// +-2^22, so sums are taken out after kSegment taps at the latest (kSegment * 128 * 128 < 2^22).
#include "kernels/conv2d/tile.h"

#if !KINDLING_MVE && !KINDLING_THUMB1

namespace kindling {
namespace {

constexpr std::uint32_t kSecondPixelBit = 23;
constexpr std::int32_t kFirstPixelBias = 1 << (kSecondPixelBit - 1);  // keeps the low sum from borrowing from the high one
constexpr std::uint32_t kSegment = 252;

/// Sums of two pixels.
class PixelPair {
 public:
  void add(std::int32_t inputs, std::int32_t weight) { sum_ += static_cast<std::int64_t>(inputs) * weight; }

  std::int32_t first() const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum_) & ((1u << kSecondPixelBit) - 1)) - kFirstPixelBias;
  }
  std::int32_t second() const { return static_cast<std::int32_t>(sum_ >> kSecondPixelBit); }

 private:
  std::int64_t sum_ = kFirstPixelBias;
};

struct Record {
  std::int32_t bias[2];
  std::int32_t multiplier[2];
  std::uint8_t right_shift[2];
  std::int8_t weights[];  // [depth][2]
};

/// Sums of a tile's pixels for the two channels of a record over `taps` taps, of which there are kSegment at most.
struct Sums {
  PixelPair channels[2][kTilePixels / 2];

  Sums(const std::int32_t* inputs, const std::int8_t* weights, std::uint32_t taps) {
    for (; taps > 0; taps -= kTileDepthStep) {
#pragma GCC unroll 4
      for (std::uint32_t tap = 0; tap < kTileDepthStep; ++tap, inputs += 2, weights += 2) {
        const std::int32_t first = inputs[0], second = inputs[1];
        channels[0][0].add(first, weights[0]);
        channels[0][1].add(second, weights[0]);
        channels[1][0].add(first, weights[1]);
        channels[1][1].add(second, weights[1]);
      }
    }
  }

  std::int32_t of(std::uint32_t channel, std::uint32_t pixel) const {
    const PixelPair& pair = channels[channel][pixel / 2];
    return pixel % 2 == 0 ? pair.first() : pair.second();
  }
};

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t, std::uint32_t pixel)
    : next_(static_cast<std::int32_t*>(tile) + pixel / 2), second_of_pair_(pixel % 2 == 1) {}

void TilePixel::copy(const std::int8_t* source, std::uint32_t count) {
  std::int32_t* next = next_;
  next_ = next + 2 * count;
  if (second_of_pair_) {
    for (; count > 0; --count, next += 2) *next += *source++ * (1 << kSecondPixelBit);
  } else {
    for (; count > 0; --count, next += 2) *next = *source++;
  }
}

void TilePixel::fill(std::int8_t value, std::uint32_t count) {
  for (; count > 0; --count) copy(&value, 1);
}

void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   const Activation& activation, std::int8_t* const outputs[kTilePixels]) {
  const std::uint32_t taps = (depth + kTileDepthStep - 1) & ~(kTileDepthStep - 1);
  const std::uint32_t first_segment = taps < kSegment ? taps : kSegment;
  for (std::uint32_t channel = 0; channel < channels; channel += kTileChannels) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const auto* inputs = static_cast<const std::int32_t*>(tile);
    const Sums first(inputs, record.weights, first_segment);
    std::int32_t sums[kTileChannels][kTilePixels];
#pragma GCC unroll 2
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
#pragma GCC unroll 4
      for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel) sums[c][pixel] = record.bias[c] + first.of(c, pixel);
    }
    for (std::uint32_t done = first_segment; done < taps; done += kSegment) {
      const std::uint32_t segment = taps - done < kSegment ? taps - done : kSegment;
      const Sums more(inputs + 2 * done, record.weights + 2 * done, segment);
      for (std::uint32_t c = 0; c < kTileChannels; ++c) {
        for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel) sums[c][pixel] += more.of(c, pixel);
      }
    }
#pragma GCC unroll 2
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
      if (channel + c >= channels) break;
      const NarrowFactor factor(record.multiplier[c], record.right_shift[c], activation.zero_point);
#pragma GCC unroll 4
      for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel) {
        outputs[pixel][channel + c] = clamp(factor.apply(sums[c][pixel]), activation);
      }
    }
    records += (offsetof(Record, weights) + kTileChannels * taps + 3) & ~3u;
  }
}

}  // namespace kindling

#endif
