// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves four pixels, each
// vector of inputs two channels, and each channel's four sums are requantised as one vector.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/requantise_mve.h"

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

/// Requantises (requantise_mve.h): VQRDMLAH adds the sign while it multiplies.
#define KINDLING_REQUANTISE(result, sums, multiplier, shift) \
  "vshr.s32 " result ", " sums ", #31\n"                     \
  "vqrdmlah.s32 " result ", " sums ", " multiplier "\n"      \
  "vrshl.s32 " result ", " shift "\n"
// clang-format on

/// All outputs of the pixels for `count` whole records. Outputs of different pixels lie less than 2^16 bytes apart.
__attribute__((noinline)) void multiply_records(const void* inputs, std::uint32_t taps, const std::uint8_t* records,
                                                std::uint32_t count, std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t rest = taps / 16 - 1;
  const std::uint8_t *weights = records, *const end = records + count * (sizeof(Constants) + kTileChannels * taps);
  std::int8_t* output = outputs.first;
  const uint16x8_t twice_lane = vidupq_n_u16(0, 2);  // two channels of each pixel, two apart
  const uint16x8_t places = vaddq_u16(twice_lane, vmulq_n_u16(vshrq_n_u16(twice_lane, 2), outputs.stride - 4));
  const mve_pred16_t lanes = vctp16q(2 * outputs.pixels);
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  std::uint32_t left;
  const std::int8_t* tile;
  __asm__ volatile("0:\n"                                                  //
                   KINDLING_TWO_CHANNELS("d8", "d9", "d10", "d11")         //
                   KINDLING_TWO_CHANNELS("d12", "d13", "d14", "d15")       //
                   "ldrd %[a0], %[a1], [%[weights]], #8\n"                 // biases
                   "ldrd %[a2], %[a3], [%[weights]], #8\n"                 //
                   "ldrd %[b0], %[b1], [%[weights]], #8\n"                 // multipliers
                   "ldrd %[b2], %[b3], [%[weights]], #8\n"                 //
                   "vadd.i32 q4, q4, %[a0]\n"                              //
                   "vadd.i32 q5, q5, %[a1]\n"                              //
                   "vadd.i32 q6, q6, %[a2]\n"                              //
                   "vadd.i32 q7, q7, %[a3]\n"                              //
                   "ldrsb %[a0], [%[weights]], #1\n"                       // shifts
                   "ldrsb %[a1], [%[weights]], #1\n"                       //
                   "ldrsb %[a2], [%[weights]], #1\n"                       //
                   "ldrsb %[a3], [%[weights]], #1\n"                       //
                   KINDLING_REQUANTISE("q0", "q4", "%[b0]", "%[a0]")       //
                   KINDLING_REQUANTISE("q1", "q5", "%[b1]", "%[a1]")       //
                   KINDLING_REQUANTISE("q2", "q6", "%[b2]", "%[a2]")       //
                   KINDLING_REQUANTISE("q4", "q7", "%[b3]", "%[a3]")       //
                   "ldr %[a0], %[zero_point]\n"                            //
                   "ldr %[a1], %[end]\n"                                   //
                   "vqmovnb.s32 q0, q0\n"                                  // channels 0 and 2 of each pixel
                   "vqmovnt.s32 q0, q2\n"                                  //
                   "vqmovnb.s32 q1, q1\n"                                  // 1 and 3
                   "vqmovnt.s32 q1, q4\n"                                  //
                   "vqadd.s16 q0, q0, %[a0]\n"                             //
                   "vqadd.s16 q1, q1, %[a0]\n"                             //
                   "vqmovnb.s16 q0, q0\n"                                  //
                   "vqmovnb.s16 q1, q1\n"                                  //
                   "add %[a2], %[output], #1\n"                            //
                   "vpstt\n"                                               //
                   "vstrbt.16 q0, [%[output], %q[places]]\n"               //
                   "vstrbt.16 q1, [%[a2], %q[places]]\n"                   //
                   "adds %[output], #4\n"                                  //
                   "cmp %[weights], %[a1]\n"                               //
                   "bne 0b\n"
                   : [weights] "+r"(weights), [output] "+r"(output), [tile] "=&r"(tile), [left] "=&r"(left), [a0] "=&Te"(a0),
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
  const std::uint32_t whole = outputs.stride < (1 << 14) ? channels / kTileChannels : 0;
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
