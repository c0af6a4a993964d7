// Tiles of cores with eight registers and 32-bit products only (M0, M0+, M23): each input is a word of its own, so that four pixels
// are loaded by one instruction and may be multiplied in place.
#include "kernels/conv2d/tile_words.h"

#if KINDLING_THUMB1

namespace kindling {
namespace {

struct Record {
  std::int32_t bias2[2];  // twice the bias
  std::int32_t multiplier[2];
  std::uint8_t shift[2];  // to the right, less 1
  std::int8_t weights[];  // [padded_depth][2]
};

/// Adds four taps of one channel, whose weights lie two bytes apart, to four pixels' sums. `weights` is the end of the weights,
/// `at` counts up to zero.
// clang-format off
#define KINDLING_TAP                 \
  "ldrsb %[weight], [%[weights], %[at]]\n" \
  "ldmia %[inputs]!, {r0, r1, r2, r3}\n"   \
  "muls r0, %[weight], r0\n"               \
  "add %[sum0], r0\n"                      \
  "muls r1, %[weight], r1\n"               \
  "add %[sum1], r1\n"                      \
  "muls r2, %[weight], r2\n"               \
  "add %[sum2], r2\n"                      \
  "muls r3, %[weight], r3\n"               \
  "add %[sum3], r3\n"                      \
  "adds %[at], #2\n"
// clang-format on

/// Sums of one channel over `taps` taps, a multiple of four. Written out because it takes every low register, and four high ones
/// for the sums.
__attribute__((noinline)) void accumulate(const std::int32_t* inputs, const std::int8_t* weights, std::uint32_t taps,
                                          std::int32_t (&sums)[kTilePixels]) {
  std::int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3], weight;
  std::int32_t at = -2 * static_cast<std::int32_t>(taps);
  weights -= at;
  __asm__ volatile(
      ".syntax unified\n"
      "1:\n"  //
      KINDLING_TAP KINDLING_TAP KINDLING_TAP KINDLING_TAP "bne 1b\n"
      : [inputs] "+l"(inputs), [at] "+l"(at), [weight] "=&l"(weight), [sum0] "+h"(sum0), [sum1] "+h"(sum1), [sum2] "+h"(sum2),
        [sum3] "+h"(sum3)
      : [weights] "l"(weights)
      : "r0", "r1", "r2", "r3", "cc", "memory");
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}

/// Writes a tap.
struct PutFour {
  template <class Input>
  void operator()(std::int32_t*& next, Input input) const {
    next[0] = input(0), next[1] = input(1), next[2] = input(2), next[3] = input(3);
    next += kTilePixels;
  }
};

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t, std::uint32_t pixel) : next_(static_cast<std::int32_t*>(tile) + pixel) {}

void TilePixel::copy(const WindowRows& rows, std::int8_t outside) {
  next_ = write_rows<kTilePixels>(next_, rows, outside, [](std::int32_t& word, std::int32_t value) { word = value; });
}

void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels) {
  write_pixels(tile, source, depth, pixels, PutFour());
}

void copy_four(void* tile, const WindowRows& rows, std::int32_t pixel_bytes, std::int32_t above, std::int32_t below, std::int8_t outside) {
  write_windows(tile, rows, pixel_bytes, above, below, outside, PutFour());
}

void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth);
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const std::uint32_t c = channel % kTileChannels;
    const std::int32_t bias = record.bias2[c] / 2;
    std::int32_t sums[kTilePixels] = {bias, bias, bias, bias};
    accumulate(static_cast<const std::int32_t*>(tile), record.weights + c, taps, sums);
    const NarrowFactor factor(record.multiplier[c], record.shift[c] + 1, zero_point);
    std::int8_t* output = outputs.first + channel;
    for (std::uint32_t i = 0; i < outputs.pixels; ++i, output += outputs.stride) *output = saturate(factor.apply(sums[i]));
    if (c == 1) records += (offsetof(Record, weights) + kTileChannels * taps + 3) & ~3u;
  }
}

}  // namespace kindling

#endif
