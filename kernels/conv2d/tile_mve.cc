// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves four pixels, each
// vector of inputs two channels, and each channel's four sums are requantised as one vector.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/conv2d/record_mve.h"

namespace kindling {
namespace {

/// Behind the weights of a record, int8 [2][depth / 16][2][16].
struct Constants {
  std::int32_t bias[4];
  std::int32_t multiplier[4];
  std::int8_t shift[4];
};

// VMLADAVA accumulates in even registers only. There are eight, just enough for four pixels and two channels, and the compiler
// would take one of them for its loop; so loops and what surrounds them are written out.

// clang-format off
/// The products of sixteen taps. `multiply` is vmladav, which begins sums, or vmladava.
#define KINDLING_SIXTEEN_TAPS(multiply)    \
  "vldrb.8 q0, [%[weights]], #16\n"        \
  "vldrb.8 q1, [%[weights]], #16\n"        \
  "vldrb.8 q2, [%[tile]], #16\n"           \
  multiply " %[a0], q2, q0\n"              \
  multiply " %[b0], q2, q1\n"              \
  "vldrb.8 q2, [%[tile]], #16\n"           \
  multiply " %[a1], q2, q0\n"              \
  multiply " %[b1], q2, q1\n"              \
  "vldrb.8 q2, [%[tile]], #16\n"           \
  multiply " %[a2], q2, q0\n"              \
  multiply " %[b2], q2, q1\n"              \
  "vldrb.8 q2, [%[tile]], #16\n"           \
  multiply " %[a3], q2, q0\n"              \
  multiply " %[b3], q2, q1\n"

/// The sums of two channels, moved to two vectors, given by their halves. The first sixteen taps are followed by pairs of sixteen, of
/// which an odd number of sixteens leaves out a half.
#define KINDLING_TWO_CHANNELS(first_low, first_high, second_low, second_high) \
  "mov %[tile], %[inputs]\n"                                                  \
  KINDLING_SIXTEEN_TAPS("vmladav.s8")                                         \
  "movs %[left], %[rest]\n"                                                   \
  "beq 3f\n"                                                                  \
  "tst %[left], #1\n"                                                         \
  "bne 2f\n"                                                                  \
  "1:\n"                                                                      \
  KINDLING_SIXTEEN_TAPS("vmladava.s8")                                        \
  "2:\n"                                                                      \
  KINDLING_SIXTEEN_TAPS("vmladava.s8")                                        \
  "subs %[left], #2\n"                                                        \
  "bgt 1b\n"                                                                  \
  "3:\n"                                                                      \
  "vmov " first_low ", %[a0], %[a1]\n"                                        \
  "vmov " first_high ", %[a2], %[a3]\n"                                       \
  "vmov " second_low ", %[b0], %[b1]\n"                                       \
  "vmov " second_high ", %[b2], %[b3]\n"
// clang-format on

/// All outputs of the pixels for `count` whole records. Outputs of neighbouring pixels lie less than kFarOutputs apart.
__attribute__((noinline)) void multiply_records(const void* inputs, std::uint32_t taps, const std::uint8_t* records,
                                                std::uint32_t count, std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t rest = taps / 16 - 1;
  const std::uint8_t *weights = records, *const end = records + count * (sizeof(Constants) + kTileChannels * taps);
  std::int8_t* output = outputs.first;
  const uint16x8_t places = record_places(outputs.stride);
  const mve_pred16_t lanes = vctp16q(2 * outputs.pixels);
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  std::uint32_t left;
  const std::int8_t* tile;
  __asm__ volatile("0:\n"                                                  //
                   KINDLING_TWO_CHANNELS("d8", "d9", "d10", "d11")         //
                   KINDLING_TWO_CHANNELS("d12", "d13", "d14", "d15")       //
                   KINDLING_FINISH_RECORD("%[zero_point]", "%[end]", "%q[places]")
                   "bne 0b\n"
                   : [weights] "+&r"(weights), [output] "+&r"(output), [tile] "=&r"(tile), [left] "=&r"(left), [a0] "=&Te"(a0),
                     [a1] "=&Te"(a1), [a2] "=&Te"(a2), [a3] "=&Te"(a3), [b0] "=&Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2),
                     [b3] "=&Te"(b3)
                   : [inputs] "r"(inputs), [rest] "r"(rest), [zero_point] "m"(zero_point), [end] "m"(end), [places] "w"(places),
                     [lanes] "Up"(lanes)
                   : "q0", "q1", "q2", "q4", "q5", "q6", "q7", "cc", "memory");
}

}  // namespace

void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth);
  const std::uint32_t whole = outputs.stride < kFarOutputs ? channels / kTileChannels : 0;
  if (whole > 0) multiply_records(tile, taps, records, whole, zero_point, outputs);
  records += whole * (sizeof(Constants) + kTileChannels * taps);
  std::int8_t* output = outputs.first + whole * kTileChannels;
  for (std::int32_t left = channels - whole * kTileChannels; left > 0; left -= 4, output += 4) {
    std::int8_t results[kTilePixels][kTileChannels];
    multiply_records(tile, taps, records, 1, zero_point, {results[0], kTileChannels, kTilePixels});
    std::int8_t* target = output;
    for (std::uint32_t pixel = 0; pixel < outputs.pixels; ++pixel, target += outputs.stride) {
      vstrbq_p_s32(target, vldrbq_s32(results[pixel]), vctp32q(left));
    }
    records += sizeof(Constants) + kTileChannels * taps;
  }
}

}  // namespace kindling

#endif
