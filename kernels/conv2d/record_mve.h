// What both ways to multiply on MVE cores do with the sums of a record.
#pragma once

#include <cstdint>

#include "kernels/target.h"

#if KINDLING_MVE

#include <arm_mve.h>

namespace kindling {

/// Outputs of different pixels that lie this far apart, or further, are too far for record_places.
inline constexpr std::uint32_t kFarOutputs = 1 << 14;

/// Where every other output of a record goes, for four pixels: 0, 2, stride, stride + 2, 2 * stride, ...
inline uint16x8_t record_places(std::uint32_t stride) {
  const uint16x8_t twice_lane = vidupq_n_u16(0, 2);
  return vaddq_u16(twice_lane, vmulq_n_u16(vshrq_n_u16(twice_lane, 2), stride - 4));
}

// clang-format off
/// Requantises (requantise_mve.h): VQRDMLAH adds the sign while it multiplies.
#define KINDLING_REQUANTISE(result, sums, multiplier, shift) \
  "vshr.s32 " result ", " sums ", #31\n"                     \
  "vqrdmlah.s32 " result ", " sums ", " multiplier "\n"      \
  "vrshl.s32 " result ", " shift "\n"

/// Requantises and stores the sums of four channels in q4 to q7, each those of four pixels, at %[output] + `places`, where the predicate in
/// VPR lets it. %[weights] goes from the record's constants to the next record, %[output] to its outputs; flags: whether that is `end`.
#define KINDLING_FINISH_RECORD(zero_point, end, places) \
  "ldrd %[a0], %[a1], [%[weights]], #8\n"   /* biases */ \
  "ldrd %[a2], %[a3], [%[weights]], #8\n"               \
  "ldrd %[b0], %[b1], [%[weights]], #8\n"   /* multipliers */ \
  "ldrd %[b2], %[b3], [%[weights]], #8\n"               \
  "vadd.i32 q4, q4, %[a0]\n"                            \
  "vadd.i32 q5, q5, %[a1]\n"                            \
  "vadd.i32 q6, q6, %[a2]\n"                            \
  "vadd.i32 q7, q7, %[a3]\n"                            \
  "ldrsb %[a0], [%[weights]], #1\n"         /* shifts */ \
  "ldrsb %[a1], [%[weights]], #1\n"                     \
  "ldrsb %[a2], [%[weights]], #1\n"                     \
  "ldrsb %[a3], [%[weights]], #1\n"                     \
  KINDLING_REQUANTISE("q0", "q4", "%[b0]", "%[a0]")     \
  KINDLING_REQUANTISE("q1", "q5", "%[b1]", "%[a1]")     \
  KINDLING_REQUANTISE("q2", "q6", "%[b2]", "%[a2]")     \
  KINDLING_REQUANTISE("q4", "q7", "%[b3]", "%[a3]")     \
  "ldr %[a0], " zero_point "\n"                         \
  "ldr %[a1], " end "\n"                                \
  "vqmovnb.s32 q0, q0\n"                    /* channels 0 and 2 of each pixel */ \
  "vqmovnt.s32 q0, q2\n"                                \
  "vqmovnb.s32 q1, q1\n"                    /* 1 and 3 */ \
  "vqmovnt.s32 q1, q4\n"                                \
  "vqadd.s16 q0, q0, %[a0]\n"                           \
  "vqadd.s16 q1, q1, %[a0]\n"                           \
  "vqmovnb.s16 q0, q0\n"                                \
  "vqmovnb.s16 q1, q1\n"                                \
  "add %[a2], %[output], #1\n"                          \
  "vpstt\n"                                             \
  "vstrbt.16 q0, [%[output], " places "]\n"             \
  "vstrbt.16 q1, [%[a2], " places "]\n"                 \
  "adds %[output], #4\n"                                \
  "cmp %[weights], %[a1]\n"
// clang-format on

}  // namespace kindling

#endif
