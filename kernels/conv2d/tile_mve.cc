// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves four pixels, each
// vector of inputs two channels, and each channel's four sums are requantised as one vector. One or two pixels go one by one instead.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/conv2d/record_mve.h"

namespace kindling {
namespace {

/// As many pixels, which are all that a tile has, cost less one by one than as a tile of four.
constexpr std::uint32_t kLonePixels = 2;

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

/// All outputs of the pixels for `count` whole records, which it returns the end of; `outputs` then starts behind them. Outputs of
/// neighbouring pixels lie less than kFarOutputs apart.
__attribute__((noinline)) const std::uint8_t* multiply_records(const void* inputs, std::uint32_t taps, const std::uint8_t* records,
                                                               std::uint32_t count, std::int32_t zero_point,
                                                               TileOutputs& outputs) {
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
  outputs.first = output;
  return weights;
}

/// Outputs of one pixel for any count of channels, at least one: the sums of a record become one vector.
inline void multiply_pixel(const std::int8_t* inputs, std::uint32_t taps, const std::uint8_t* weights, std::int32_t channels,
                           const std::int32_t& zero_point, std::int8_t* output) {
  const std::uint32_t steps = taps / 16;
  std::int32_t sum0, sum1, sum2, sum3;
  const std::uint8_t* second;  // the second two channels' weights, then the constants
  const std::int8_t* tile;
  mve_pred16_t lanes;  // in VPR
  __asm__ volatile(
      "1:\n"
      "add %[second], %[weights], %[half]\n"
      "add %[tile], %[second], %[half]\n"
      "ldrd %[sum0], %[sum1], [%[tile]]\n"
      "ldrd %[sum2], %[sum3], [%[tile], #8]\n"
      "ldr %[tile], %[steps]\n"
      "dls lr, %[tile]\n"
      "mov %[tile], %[inputs]\n"
      "2:\n"
      "vldrb.8 q0, [%[tile]], %[step]\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum0], q0, q1\n"
      "vldrb.8 q1, [%[weights]], #16\n"
      "vmladava.s8 %[sum1], q0, q1\n"
      "vldrb.8 q1, [%[second]], #16\n"
      "vmladava.s8 %[sum2], q0, q1\n"
      "vldrb.8 q1, [%[second]], #16\n"
      "vmladava.s8 %[sum3], q0, q1\n"
      "le lr, 2b\n"
      "vmov d0, %[sum0], %[sum1]\n"
      "vmov d1, %[sum2], %[sum3]\n"
      "vldrw.32 q1, [%[second], #16]\n"
      "vldrb.s32 q2, [%[second], #32]\n"
      "vshr.s32 q3, q0, #31\n"  // requantises (requantise_mve.h)
      "vqrdmulh.s32 q0, q0, q1\n"
      "vadd.i32 q0, q0, q3\n"
      "vrshl.s32 q0, q0, q2\n"
      "ldr %[tile], %[zero_point]\n"
      "vadd.i32 q0, q0, %[tile]\n"
      "vqmovnb.s32 q0, q0\n"
      "vqmovnb.s16 q0, q0\n"
      "vctp.32 %[channels]\n"
      "vpst\n"
      "vstrbt.32 q0, [%[output]], #4\n"
      "add %[weights], %[second], %[constants]\n"
      "subs %[channels], #4\n"
      "bgt 1b\n"
      : [weights] "+&r"(weights), [output] "+&r"(output), [channels] "+&r"(channels), [second] "=&r"(second), [tile] "=&r"(tile),
        [sum0] "=&Te"(sum0), [sum1] "=&Te"(sum1), [sum2] "=&Te"(sum2), [sum3] "=&Te"(sum3), [lanes] "=&Up"(lanes)
      : [inputs] "r"(inputs), [half] "r"(2 * taps), [steps] "m"(steps), [zero_point] "m"(zero_point), [step] "i"(kTileStep),
        [constants] "i"(sizeof(Constants))
      : "q0", "q1", "q2", "q3", "lr", "cc", "memory");
}

}  // namespace

void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth);
  if (outputs.pixels > kLonePixels && outputs.stride < kFarOutputs && channels >= kTileChannels) {
    records = multiply_records(tile, taps, records, channels / kTileChannels, zero_point, outputs);
    channels %= kTileChannels;
    if (channels == 0) return;
  }
  const std::int8_t* inputs = static_cast<const std::int8_t*>(tile);
  do {
    multiply_pixel(inputs, taps, records, channels, zero_point, outputs.first);
    inputs += 16;
    outputs.first += outputs.stride;
  } while (--outputs.pixels > 0);
}

}  // namespace kindling

#endif
