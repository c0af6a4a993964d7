// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves two pixels,
// each vector of inputs four channels, and a record's four channels of a pixel are requantised as one vector.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/requantise_mve.h"

namespace kindling {
namespace {

struct Record {
  std::int32_t bias[4];
  std::int32_t multiplier[4];
  std::int8_t shift[4];
  std::int8_t weights[];  // [taps / 16][4][16]
};

/// Four channels' accumulators of two pixels, of which the `taps` inputs start at `first` and lie one after the other; taps is a multiple of
/// 16, not 0.
/// Written out because VMLADAVA accumulates in even registers only: there are eight, and the compiler takes one for its loop.
inline void accumulate(const Record& record, const std::int8_t* first, std::uint32_t taps, int32x4_t& first_sums,
                       int32x4_t& second_sums) {
  const std::int8_t* second = first + taps;
  const std::int8_t* weights = record.weights;
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  __asm__ volatile(
      "ldrd %[a0], %[a1], [%[weights], %[bias]]\n"
      "ldrd %[a2], %[a3], [%[weights], %[bias] + 8]\n"
      "ldrd %[b0], %[b1], [%[weights], %[bias]]\n"
      "ldrd %[b2], %[b3], [%[weights], %[bias] + 8]\n"
      "1:\n"
      "vldrb.8 q0, [%[first]], #16\n"
      "vldrb.8 q1, [%[second]], #16\n"
      "vldrb.8 q2, [%[weights]], #16\n"
      "vmladava.s8 %[a0], q0, q2\n"
      "vmladava.s8 %[b0], q1, q2\n"
      "vldrb.8 q2, [%[weights]], #16\n"
      "vmladava.s8 %[a1], q0, q2\n"
      "vmladava.s8 %[b1], q1, q2\n"
      "vldrb.8 q2, [%[weights]], #16\n"
      "vmladava.s8 %[a2], q0, q2\n"
      "vmladava.s8 %[b2], q1, q2\n"
      "vldrb.8 q2, [%[weights]], #16\n"
      "vmladava.s8 %[a3], q0, q2\n"
      "vmladava.s8 %[b3], q1, q2\n"
      "subs %[taps], #16\n"
      "bne 1b\n"
      "vmov %e[first_sums], %[a0], %[a1]\n"
      "vmov %f[first_sums], %[a2], %[a3]\n"
      "vmov %e[second_sums], %[b0], %[b1]\n"
      "vmov %f[second_sums], %[b2], %[b3]\n"
      : [first_sums] "=w"(first_sums), [second_sums] "=w"(second_sums), [first] "+r"(first), [second] "+r"(second),
        [weights] "+r"(weights), [taps] "+r"(taps), [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2), [a3] "=&Te"(a3),
        [b0] "=&Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2), [b3] "=&Te"(b3)
      : [bias] "i"(-static_cast<std::int32_t>(offsetof(Record, weights)))
      : "q0", "q1", "q2", "cc", "memory");
}

/// The outputs of a record's channels. Whole: four pixels, four channels; otherwise `channels` of outputs.pixels.
template <bool kWhole>
inline void multiply_record(const Record& record, const std::int8_t* inputs, std::uint32_t taps, std::int32_t channels,
                            std::int32_t zero_point, std::int8_t* output, TileOutputs outputs) {
  int32x4_t sums[kTilePixels];
  accumulate(record, inputs, taps, sums[0], sums[1]);
  accumulate(record, inputs + 2 * taps, taps, sums[2], sums[3]);
  const int32x4_t multiplier = vldrwq_s32(record.multiplier), shift = vldrbq_s32(record.shift);
  const int32x4_t lowest = vdupq_n_s32(-128), highest = vdupq_n_s32(127);
#pragma GCC unroll 4
  for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel, output += outputs.stride) {
    if (!kWhole && pixel == outputs.pixels) break;
    const int32x4_t scaled = requantise(sums[pixel], multiplier, shift, zero_point);
    const int32x4_t result = vminq_s32(vmaxq_s32(scaled, lowest), highest);
    if (kWhole) {
      vstrbq_s32(output, result);
    } else {
      vstrbq_p_s32(output, result, vctp32q(channels));
    }
  }
}

}  // namespace

__attribute__((optimize("no-branch-count-reg"))) void multiply_tile(const void* tile, std::uint32_t depth, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth), record_stride = offsetof(Record, weights) + kTileChannels * taps;
  const auto* inputs = static_cast<const std::int8_t*>(tile);
  std::int8_t* output = outputs.first;
  std::int32_t left = static_cast<std::int32_t>(channels);
  if (outputs.pixels == kTilePixels) {
    for (; left >= 4; left -= 4, output += 4, records += record_stride) {
      multiply_record<true>(*reinterpret_cast<const Record*>(records), inputs, taps, 4, zero_point, output, outputs);
    }
  }
  for (; left > 0; left -= 4, output += 4, records += record_stride) {
    multiply_record<false>(*reinterpret_cast<const Record*>(records), inputs, taps, left, zero_point, output, outputs);
  }
}

}  // namespace kindling

#endif
