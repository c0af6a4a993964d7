// Tiles of cores that multiply 32 by 32 to 64 bits (M3 and up without MVE, and the host).
//
// One word of a tile holds a tap's inputs of two pixels, x0 + x1 * 2^23. A 64-bit accumulator of word * weight then sums both
// pixels' products at once: the first pixel's sum in its low 23 bits, the second's above. The first must stay within
// +-2^22, so sums are taken out after kSegment taps at the latest (kSegment * 128 * 127 < 2^22).
#include "kernels/conv2d/tile.h"

#if !KINDLING_MVE && !KINDLING_THUMB1

namespace kindling {
namespace {

constexpr std::int32_t kFirstPixelBias = 1 << (kSecondPixelBit - 1);  // keeps the low sum from borrowing from the high one
constexpr std::uint32_t kSegment = 256;

struct Record {
  std::int32_t bias[2];
  std::int32_t multiplier[2];
  std::uint8_t right_shift[2];
  std::int8_t weights[];  // [padded_depth][2]
};

/// Sums of two pixels for one channel.
using PixelPair = std::int64_t;

/// Twice the accumulator of each pixel, given twice the bias: what NarrowFactor::apply_to_double takes. Doubling costs nothing
/// here, where the sums are shifted into place anyway.
inline std::int32_t first_doubled(PixelPair sums, std::int32_t bias2) {
  const std::uint32_t low = static_cast<std::uint32_t>(sums) << (32 - kSecondPixelBit);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bias2 - 2 * kFirstPixelBias) + (low >> (31 - kSecondPixelBit)));
}

inline std::int32_t second_doubled(PixelPair sums, std::int32_t bias2) {
  const auto low = static_cast<std::uint32_t>(sums), high = static_cast<std::uint32_t>(sums >> 32);
  const std::uint32_t with_low = static_cast<std::uint32_t>(bias2) + (low >> kSecondPixelBit) * 2;
  return static_cast<std::int32_t>(with_low + (high << (33 - kSecondPixelBit)));
}

/// Adds taps of both channels to the sums of pixels 0 and 1, 2 and 3.
#if defined(__arm__)
// Written out because it takes all registers there are with the end of the loop, and the compiler would move them about.
#define KINDLING_TAP                             \
  "ldrd %[first], %[second], [%[inputs]], #8\n"    \
  "ldrsb %[weight], [%[weights]], #1\n"            \
  "smlal %Q[a01], %R[a01], %[first], %[weight]\n"  \
  "smlal %Q[a23], %R[a23], %[second], %[weight]\n" \
  "ldrsb %[weight], [%[weights]], #1\n"            \
  "smlal %Q[b01], %R[b01], %[first], %[weight]\n"  \
  "smlal %Q[b23], %R[b23], %[second], %[weight]\n"
#define KINDLING_FOUR_TAPS KINDLING_TAP KINDLING_TAP KINDLING_TAP KINDLING_TAP

template <int kTaps>
inline void add_taps(const std::int32_t*& inputs, const std::int8_t*& weights, PixelPair& a01, PixelPair& a23, PixelPair& b01,
                     PixelPair& b23) {
  std::int32_t first, second, weight;
#define KINDLING_ADD(taps)                                                                                                        \
  __asm__(taps                                                                                                                    \
          : [inputs] "+r"(inputs), [weights] "+r"(weights), [a01] "+r"(a01), [a23] "+r"(a23), [b01] "+r"(b01), [b23] "+r"(b23), \
            [first] "=&r"(first), [second] "=&r"(second), [weight] "=&r"(weight)                                                \
          :                                                                                                                      \
          : "memory")
  if constexpr (kTaps == 4) {
    KINDLING_ADD(KINDLING_FOUR_TAPS);
  } else {
    KINDLING_ADD(KINDLING_FOUR_TAPS KINDLING_FOUR_TAPS);
  }
}
#else
template <int kTaps>
inline void add_taps(const std::int32_t*& inputs, const std::int8_t*& weights, PixelPair& a01, PixelPair& a23, PixelPair& b01,
                     PixelPair& b23) {
  for (int tap = 0; tap < kTaps; ++tap, inputs += 2, weights += 2) {
    a01 += static_cast<std::int64_t>(inputs[0]) * weights[0];
    a23 += static_cast<std::int64_t>(inputs[1]) * weights[0];
    b01 += static_cast<std::int64_t>(inputs[0]) * weights[1];
    b23 += static_cast<std::int64_t>(inputs[1]) * weights[1];
  }
}
#endif

/// Sums over `taps` taps: a multiple of 4, kSegment at most and one at least.
inline void accumulate(const std::int32_t* inputs, const std::int8_t* weights, std::uint32_t taps, PixelPair& a01, PixelPair& a23,
                       PixelPair& b01, PixelPair& b23) {
  a01 = a23 = b01 = b23 = kFirstPixelBias;
  if (taps & 4) add_taps<4>(inputs, weights, a01, a23, b01, b23);
  const std::int8_t* const end = weights + kTileChannels * (taps & ~7u);
  while (weights != end) add_taps<8>(inputs, weights, a01, a23, b01, b23);
}

/// Where one channel of each pixel goes. Pixels that are not there share the place of the last one, which is written after them.
using Places = std::int8_t* [kTilePixels];

/// Requantises and stores one channel of four pixels, given twice its accumulators.
inline void store(std::int32_t pixel0, std::int32_t pixel1, std::int32_t pixel2, std::int32_t pixel3, std::int32_t multiplier,
                  std::int32_t right_shift, std::int32_t zero_point, const Places& places, std::uint32_t channel) {
  const NarrowFactor factor(multiplier, right_shift, zero_point);
  places[3][channel] = saturate(factor.apply_to_double(pixel3));
  places[2][channel] = saturate(factor.apply_to_double(pixel2));
  places[1][channel] = saturate(factor.apply_to_double(pixel1));
  places[0][channel] = saturate(factor.apply_to_double(pixel0));
}

inline void store(PixelPair first, PixelPair second, const Record& record, std::uint32_t index, std::int32_t zero_point,
                  const Places& places, std::uint32_t channel) {
  const std::int32_t bias2 = record.bias[index] * 2;
  store(first_doubled(first, bias2), second_doubled(first, bias2), first_doubled(second, bias2), second_doubled(second, bias2),
        record.multiplier[index], record.right_shift[index], zero_point, places, channel);
}

/// A record with more taps than one segment: its sums are taken out after each.
__attribute__((noinline)) void multiply_segments(const std::int32_t* inputs, const Record& record, std::uint32_t taps,
                                                 std::int32_t zero_point, const Places& places, std::uint32_t channel, bool both) {
  std::int32_t doubled[kTileChannels][kTilePixels];
  for (std::uint32_t c = 0; c < kTileChannels; ++c) {
    for (std::int32_t& sum : doubled[c]) sum = record.bias[c] * 2;
  }
  for (std::uint32_t done = 0; done < taps; done += kSegment) {
    const std::uint32_t segment = taps - done < kSegment ? taps - done : kSegment;
    PixelPair a01, a23, b01, b23;
    accumulate(inputs + 2 * done, record.weights + kTileChannels * done, segment, a01, a23, b01, b23);
    const auto add = [](std::int32_t (&sums)[kTilePixels], PixelPair first, PixelPair second) {
      sums[0] = first_doubled(first, sums[0]), sums[1] = second_doubled(first, sums[1]);
      sums[2] = first_doubled(second, sums[2]), sums[3] = second_doubled(second, sums[3]);
    };
    add(doubled[0], a01, a23);
    add(doubled[1], b01, b23);
  }
  for (std::uint32_t c = 0; c < (both ? 2 : 1); ++c) {
    store(doubled[c][0], doubled[c][1], doubled[c][2], doubled[c][3], record.multiplier[c], record.right_shift[c], zero_point, places,
          channel + c);
  }
}

}  // namespace

void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth), weight_bytes = kTileChannels * taps;
  const auto* inputs = static_cast<const std::int32_t*>(tile);
  Places places;
  for (std::uint32_t i = 0; i < kTilePixels; ++i) {
    places[i] = outputs.first + (i < outputs.pixels ? i : outputs.pixels - 1) * outputs.stride;
  }
  for (std::uint32_t channel = 0; channel < channels; channel += kTileChannels) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const bool both = channel + 1 < channels;
    if (taps <= kSegment) {
      PixelPair a01, a23, b01, b23;
      accumulate(inputs, record.weights, taps, a01, a23, b01, b23);
      store(a01, a23, record, 0, zero_point, places, channel);
      if (both) store(b01, b23, record, 1, zero_point, places, channel + 1);
    } else {
      multiply_segments(inputs, record, taps, zero_point, places, channel, both);
    }
    records += (offsetof(Record, weights) + weight_bytes + 3) & ~3u;
  }
}

}  // namespace kindling

#endif
