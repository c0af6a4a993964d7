#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include <cstddef>

#include "kernels/depthwise_conv2d/record.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/depthwise_conv2d/sixteen_channels.h"
#include "kernels/requantise.h"

#if KINDLING_DSP
#include <arm_acle.h>
#endif

namespace kindling {
namespace {

#if KINDLING_MVE
constexpr std::uint32_t kRowsPerStep = 1;

// A column is written out as a whole: four sums and two taps need every vector register, and the compiler would spill.

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

/// One output pixel of sixteen channels, of which `lanes` are stored; moves the rows on by a column. The numbers are offsets from the
/// middle tap's weights, from where loads reach the whole record.
inline void compute_column(const SixteenRecord& record, const std::int8_t*& top, const std::int8_t*& middle, const std::int8_t*& bottom,
                           std::int32_t zero_point, std::int8_t* output, mve_pred16_t lanes) {
  static_assert(offsetof(SixteenRecord, weights) == 144 && offsetof(SixteenRecord, multiplier) == 64 &&
                offsetof(SixteenRecord, shift) == 128);
  const std::int8_t* const weights = record.weights + 4 * 16;
  __asm__ volatile(
      "vldrw.32 q0, [%[weights], #-208]\n"
      "vldrw.32 q1, [%[weights], #-192]\n"
      "vldrw.32 q2, [%[weights], #-176]\n"
      "vldrw.32 q3, [%[weights], #-160]\n"                                             //
      KINDLING_TAP("[%[top]], #16", "[%[weights], #-64]")                              //
      KINDLING_SECOND_TAP("[%[top]]", "[%[top]]", "[%[weights], #-48]")                //
      KINDLING_WIDEN                                                                   //
      KINDLING_TAP("[%[top], #16]", "[%[weights], #-32]")                              //
      KINDLING_SECOND_TAP("[%[middle]]", "[%[middle]], #16", "[%[weights], #-16]")     //
      KINDLING_WIDEN                                                                   //
      KINDLING_TAP("[%[middle]]", "[%[weights]]")                                      //
      KINDLING_SECOND_TAP("[%[middle], #16]", "[%[middle], #16]", "[%[weights], #16]") //
      KINDLING_WIDEN                                                                   //
      KINDLING_TAP("[%[bottom]], #16", "[%[weights], #32]")                            //
      KINDLING_SECOND_TAP("[%[bottom]]", "[%[bottom]]", "[%[weights], #48]")           //
      KINDLING_WIDEN                                                                   //
      KINDLING_TAP("[%[bottom], #16]", "[%[weights], #64]")                            //
      KINDLING_WIDEN                                                                   //
      KINDLING_REQUANTISE("q0", "[%[weights], #-144]", "[%[weights], #-80]")           //
      KINDLING_REQUANTISE("q1", "[%[weights], #-128]", "[%[weights], #-76]")           //
      KINDLING_REQUANTISE("q2", "[%[weights], #-112]", "[%[weights], #-72]")           //
      KINDLING_REQUANTISE("q3", "[%[weights], #-96]", "[%[weights], #-68]")            //
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

void compute_rows(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output, std::uint32_t) {
  const std::int32_t channels = params.input_channels, width = params.output_width, zero_point = params.output_zero_point;
  const std::uint8_t* records = params.channels();
  const std::int8_t *top = rows.next(), *middle = rows.next(), *bottom = rows.next();
  for (std::int32_t left = channels; left > 0; left -= 16, output += 16, records += depthwise_record_bytes(9).value()) {
    const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
    const mve_pred16_t lanes = vctp8q(left);
    std::int8_t* out = output;
    for (std::int32_t column = width; column > 0; --column, out += channels) {
      compute_column(record, top, middle, bottom, zero_point, out, lanes);
    }
    top += 32, middle += 32, bottom += 32;
  }
}
#else
// Two output rows at a time: they share loads, and what it takes to begin with a channel.
constexpr std::uint32_t kRowsPerStep = 2;

#if KINDLING_DSP
/// Two numbers in 16 bits each.
inline std::int32_t pair(std::int32_t low, std::int32_t high) {
  std::int32_t result;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(result) : "r"(low), "r"(high));
  return result;
}

/// A column of inputs: rows 0 and 1, rows 2 and 3.
struct Inputs {
  std::int32_t rows01, rows23;

  Inputs(std::int32_t row0, std::int32_t row1, std::int32_t row2, std::int32_t row3)
      : rows01(pair(row0, row1)), rows23(pair(row2, row3)) {}
};

/// A column of weights: top and middle, middle and bottom.
struct Weights {
  std::int32_t upper, lower;

  Weights(std::int32_t top, std::int32_t middle, std::int32_t bottom) : upper(pair(top, middle)), lower(pair(middle, bottom)) {}
};

/// Adds a column to an output of the upper row, which sees rows 0 to 2, and of the lower row, which sees rows 1 to 3.
inline std::int32_t add_upper(std::int32_t sum, const Inputs& inputs, const Weights& weights) {
  return __smlabt(inputs.rows23, weights.lower, __smlad(inputs.rows01, weights.upper, sum));
}

inline std::int32_t add_lower(std::int32_t sum, const Inputs& inputs, const Weights& weights) {
  return __smlatb(inputs.rows01, weights.upper, __smlad(inputs.rows23, weights.lower, sum));
}
#else
struct Inputs {
  std::int32_t row0, row1, row2, row3;
};

struct Weights {
  std::int32_t top, middle, bottom;
};

inline std::int32_t add_upper(std::int32_t sum, const Inputs& inputs, const Weights& weights) {
  return sum + inputs.row0 * weights.top + inputs.row1 * weights.middle + inputs.row2 * weights.bottom;
}

inline std::int32_t add_lower(std::int32_t sum, const Inputs& inputs, const Weights& weights) {
  return sum + inputs.row1 * weights.top + inputs.row2 * weights.middle + inputs.row3 * weights.bottom;
}
#endif

/// Walks along the rows with one channel at a time: each column of inputs is read once and added to the outputs it belongs to.
/// Where there is no lower row, its outputs are overwritten by the upper row's.
void compute_rows(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output, std::uint32_t output_rows) {
  const std::uint32_t channels = params.input_channels, width = params.output_width;
  const std::uint32_t lower_row = output_rows == 2 ? width * channels : 0;
  const std::int8_t* input = rows.next();
  const std::int32_t row1 = rows.next() - input, row2 = rows.next() - input, row3 = rows.next() - input;
  const std::uint8_t* records = params.channels();
  for (const std::int8_t* end = input + channels; input != end; ++input, ++output) {
    const SingleRecord& record = *reinterpret_cast<const SingleRecord*>(records);
    records += depthwise_record_bytes(9).value();
    const std::int8_t* w = record.weights;
    const Weights left{w[0], w[3], w[6]}, centre{w[1], w[4], w[7]}, right{w[2], w[5], w[8]};
    const NarrowFactor factor(record.multiplier, record.right_shift, params.output_zero_point);
    const std::int32_t bias = record.bias;

    const std::int8_t* column = input;
    const auto read_column = [&] {
      const Inputs inputs{column[0], column[row1], column[row2], column[row3]};
      column += channels;
      return inputs;
    };
    const Inputs first = read_column(), second = read_column();
    std::int32_t upper = add_upper(add_upper(bias, first, left), second, centre), next_upper = add_upper(bias, second, left);
    std::int32_t lower = add_lower(add_lower(bias, first, left), second, centre), next_lower = add_lower(bias, second, left);
    std::int8_t* out = output;
    for (std::uint32_t left_over = width; left_over > 0; --left_over, out += channels) {
      const Inputs inputs = read_column();
      out[lower_row] = saturate(factor.apply(add_lower(lower, inputs, right)));
      *out = saturate(factor.apply(add_upper(upper, inputs, right)));
      upper = add_upper(next_upper, inputs, centre), next_upper = add_upper(bias, inputs, left);
      lower = add_lower(next_lower, inputs, centre), next_lower = add_lower(bias, inputs, left);
    }
  }
}
#endif

}  // namespace

void depthwise_conv2d_3x3_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, kRowsPerStep, compute_rows);
}

Error check_depthwise_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, kRowsPerStep, 3, 1);
}

}  // namespace kindling
