// One output pixel of a 3x3 window for sixteen channels, on MVE.
#pragma once

#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/depthwise_conv2d/sixteen_channels.h"

#if KINDLING_MVE

#include <cstddef>

namespace kindling {

// A column is written out as a whole: four sums and two taps need every vector register, and the compiler would spill.

// clang-format off
/// Products of one tap, or of two added up (weights are at least -127), in q6 (even lanes) and q7 (odd lanes).
#define KINDLING_TAP(input, weight) \
  "vldrb.8 q4, " input "\n"         \
  "vldrb.8 q5, " weight "\n"        \
  "vmullb.s8 q6, q4, q5\n"         \
  "vmullt.s8 q7, q4, q5\n"
#define KINDLING_SECOND_TAP(input, input_again, weight) \
  "vldrb.8 q4, " input "\n"                             \
  "vldrb.8 q5, " weight "\n"                            \
  "vmullt.s8 q4, q4, q5\n"                             \
  "vadd.i16 q7, q7, q4\n"                              \
  "vldrb.8 q4, " input_again "\n"                       \
  "vmullb.s8 q4, q4, q5\n"                             \
  "vadd.i16 q6, q6, q4\n"
/// Adds them to the sums of channels 0 4 8 12, 2 6 10 14, 1 5 9 13, 3 7 11 15 in q0 to q3.
#define KINDLING_WIDEN       \
  "vmovlb.s16 q4, q6\n"     \
  "vmovlt.s16 q6, q6\n"     \
  "vmovlb.s16 q5, q7\n"     \
  "vmovlt.s16 q7, q7\n"     \
  "vadd.i32 q0, q0, q4\n"   \
  "vadd.i32 q1, q1, q6\n"   \
  "vadd.i32 q2, q2, q5\n"   \
  "vadd.i32 q3, q3, q7\n"
/// Requantises (requantise_mve.h) and adds the zero point.
#define KINDLING_REQUANTISE(sums, multiplier, shift) \
  "vldrw.32 q4, " multiplier "\n"                    \
  "vldrb.s32 q5, " shift "\n"                        \
  "vshr.s32 q6, " sums ", #31\n"                    \
  "vqrdmulh.s32 " sums ", " sums ", q4\n"           \
  "vadd.i32 " sums ", " sums ", q6\n"               \
  "vrshl.s32 " sums ", " sums ", q5\n"              \
  "vadd.i32 " sums ", " sums ", %[zero_point]\n"
// clang-format on

/// Computes the pixel whose window begins at `top`, `middle` and `bottom`, which move on by a column; stores `lanes` of it. The
/// numbers are offsets from the middle tap's weights, from where loads reach the whole record.
__attribute__((always_inline)) inline void compute_column(const SixteenRecord& record, const std::int8_t*& top,
                                                          const std::int8_t*& middle, const std::int8_t*& bottom,
                                                          std::int32_t zero_point, std::int8_t* output, mve_pred16_t lanes) {
  static_assert(offsetof(SixteenRecord, weights) == 144 && offsetof(SixteenRecord, multiplier) == 64 &&
                offsetof(SixteenRecord, shift) == 128);
  const std::int8_t* const weights = record.weights + 4 * 16;
  __asm__ volatile(
      "vldrw.32 q0, [%[weights], #-208]\n"
      "vldrw.32 q1, [%[weights], #-192]\n"
      "vldrw.32 q2, [%[weights], #-176]\n"
      "vldrw.32 q3, [%[weights], #-160]\n"                                              //
      KINDLING_TAP("[%[top]], #16", "[%[weights], #-64]")                               //
      KINDLING_SECOND_TAP("[%[top]]", "[%[top]]", "[%[weights], #-48]")                 //
      KINDLING_WIDEN                                                                    //
          KINDLING_TAP("[%[top], #16]", "[%[weights], #-32]")                           //
      KINDLING_SECOND_TAP("[%[middle]]", "[%[middle]], #16", "[%[weights], #-16]")      //
      KINDLING_WIDEN                                                                    //
          KINDLING_TAP("[%[middle]]", "[%[weights]]")                                   //
      KINDLING_SECOND_TAP("[%[middle], #16]", "[%[middle], #16]", "[%[weights], #16]")  //
      KINDLING_WIDEN                                                                    //
          KINDLING_TAP("[%[bottom]], #16", "[%[weights], #32]")                         //
      KINDLING_SECOND_TAP("[%[bottom]]", "[%[bottom]]", "[%[weights], #48]")            //
      KINDLING_WIDEN                                                                    //
          KINDLING_TAP("[%[bottom], #16]", "[%[weights], #64]")                         //
      KINDLING_WIDEN                                                                    //
          KINDLING_REQUANTISE("q0", "[%[weights], #-144]", "[%[weights], #-80]")        //
      KINDLING_REQUANTISE("q1", "[%[weights], #-128]", "[%[weights], #-76]")            //
      KINDLING_REQUANTISE("q2", "[%[weights], #-112]", "[%[weights], #-72]")            //
      KINDLING_REQUANTISE("q3", "[%[weights], #-96]", "[%[weights], #-68]")             //
      "vqmovnb.s32 q0, q0\n"
      "vqmovnt.s32 q0, q1\n"
      "vqmovnb.s32 q2, q2\n"
      "vqmovnt.s32 q2, q3\n"
      "vqmovnb.s16 q0, q0\n"
      "vqmovnt.s16 q0, q2\n"
      "vpst\n"
      "vstrbt.8 q0, [%[output]]\n"
      : [top] "+r"(top), [middle] "+r"(middle), [bottom] "+r"(bottom)
      : [weights] "l"(weights), [zero_point] "r"(zero_point), [output] "r"(output), [lanes] "Up"(lanes)
      : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "memory");
}

#undef KINDLING_TAP
#undef KINDLING_SECOND_TAP
#undef KINDLING_WIDEN
#undef KINDLING_REQUANTISE

/// Computes an output row from the three rows under it.
template <std::int32_t kStride>
inline void compute_3x3_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::int32_t channels = params.input_channels, width = params.output_width, zero_point = params.output_zero_point;
  const std::uint8_t* records = params.channels();
  const std::int8_t *top = rows.next(), *middle = rows.next(), *bottom = rows.next();
  const std::int32_t block = ((width - 1) * kStride + 3) * 16;
  for (std::int32_t left = channels; left > 0; left -= 16, output += 16, records += depthwise_record_bytes(9)) {
    const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
    const mve_pred16_t lanes = vctp8q(left);
    const std::int8_t *t = top, *m = middle, *b = bottom;
    std::int8_t* out = output;
    for (std::int32_t column = width; column > 0; --column, out += channels) {
      compute_column(record, t, m, b, zero_point, out, lanes);
      constexpr std::int32_t kSkipped = (kStride - 1) * 16;
      t += kSkipped, m += kSkipped, b += kSkipped;
    }
    top += block, middle += block, bottom += block;
  }
}

}  // namespace kindling

#endif
