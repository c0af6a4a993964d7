#include <cstddef>

#include "kernels/depthwise_conv2d/depthwise_conv2d.h"
#include "kernels/depthwise_conv2d/four_rows_3x3.h"
#include "kernels/depthwise_conv2d/mve_3x3.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/requantise.h"

namespace kindling {

#if KINDLING_MVE

void depthwise_conv2d_3x3_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, compute_3x3_row<1>);
}

#else

namespace {

/// Sums of the outputs, one in each row, that the next column completes, and of those after them.
struct Sums {
  std::int32_t upper, lower, next_upper, next_lower;
};

/// Where a step's inputs and outputs are, all counted in words from the first column's first channel; an output is counted as the
/// column that completes it.
struct Step {
  FourRows rows;
  std::uint32_t channels, end;  // from a column to the next; of the channel at hand
  std::int8_t *upper_row, *lower_row;
};

/// Reads the columns from `at` on to the end and adds each to the outputs it belongs to: the ones that it completes and the next
/// two. Of two outputs that lie in the same place, the upper row's remains.
#if KINDLING_DSP
// Written out because the compiler spills more, and uses each of what it spills once.
__attribute__((always_inline)) inline void finish_rows(const Step& step, std::uint32_t at, const Kernel3x3& kernel,
                                                       const NarrowFactor& factor, const std::int32_t bias, Sums sums) {
  const std::int32_t shift = factor.right_shift() - 1;
  const std::int32_t multiplier_and_offset[] = {factor.multiplier(), factor.offset()};
  const std::int32_t right[] = {kernel.right, kernel.right_middle};
  std::int32_t rows02, rows13, value, temporary;
  static_assert(offsetof(Step, end) == offsetof(Step, channels) + sizeof(step.channels));  // loaded as one
  __asm__ volatile(
      "1:\n"
      "ldr %[rows13], [%[words], %[at], lsl #2]\n"
      "ldr %[value], %[rotation]\n"
      "ror %[rows13], %[rows13], %[value]\n"
      "sxtb16 %[rows02], %[rows13]\n"
      "sxtb16 %[rows13], %[rows13], ror #8\n"
      // The outputs that this column completes.
      "ldrd %[value], %[temporary], %[right]\n"
      "smlad %[lower], %[rows13], %[value], %[lower]\n"
      "smlatb %[lower], %[rows02], %[temporary], %[lower]\n"
      "smlad %[upper], %[rows02], %[value], %[upper]\n"
      "smlabb %[upper], %[rows13], %[temporary], %[upper]\n"
      "ldrd %[value], %[temporary], %[multiplier]\n"
      "add %[temporary], %[temporary], %[lower], asr #31\n"
      "smmlar %[lower], %[lower], %[value], %[temporary]\n"
      "ldr %[temporary], %[offset]\n"
      "add %[temporary], %[temporary], %[upper], asr #31\n"
      "smmlar %[upper], %[upper], %[value], %[temporary]\n"
      "ldr %[value], %[shift]\n"
      "asr %[lower], %[lower], %[value]\n"
      "asr %[upper], %[upper], %[value]\n"
      "ssat %[lower], #8, %[lower], asr #1\n"
      "ssat %[upper], #8, %[upper], asr #1\n"
      "ldr %[value], %[lower_row]\n"
      "ldr %[temporary], %[upper_row]\n"
      "strb %[lower], [%[value], %[at]]\n"
      "strb %[upper], [%[temporary], %[at]]\n"
      // The next one, and the one after that.
      "smlad %[lower], %[rows13], %[centre], %[next_lower]\n"
      "smlatt %[lower], %[rows02], %[inner], %[lower]\n"
      "smlad %[upper], %[rows02], %[centre], %[next_upper]\n"
      "smlabt %[upper], %[rows13], %[inner], %[upper]\n"
      "ldr %[value], %[bias]\n"
      "smlad %[next_lower], %[rows13], %[left], %[value]\n"
      "smlatb %[next_lower], %[rows02], %[inner], %[next_lower]\n"
      "smlad %[next_upper], %[rows02], %[left], %[value]\n"
      "smlabb %[next_upper], %[rows13], %[inner], %[next_upper]\n"
      "ldrd %[value], %[temporary], %[step]\n"
      "add %[at], %[value]\n"
      "cmp %[at], %[temporary]\n"
      "bne 1b\n"
      : [at] "+r"(at), [upper] "+r"(sums.upper), [lower] "+r"(sums.lower), [next_upper] "+r"(sums.next_upper),
        [next_lower] "+r"(sums.next_lower), [rows02] "=&r"(rows02), [rows13] "=&r"(rows13), [value] "=&r"(value),
        [temporary] "=&r"(temporary)
      : [words] "r"(step.rows.words), [left] "r"(kernel.left), [centre] "r"(kernel.centre), [inner] "r"(kernel.inner),
        [right] "m"(right), [rotation] "m"(step.rows.rotation), [step] "m"(step.channels), [upper_row] "m"(step.upper_row),
        [lower_row] "m"(step.lower_row), [bias] "m"(bias), [multiplier] "m"(multiplier_and_offset), [shift] "m"(shift),
        [offset] "m"(multiplier_and_offset[1])
      : "cc", "memory");
}
#else
inline void finish_rows(const Step& step, std::uint32_t at, const Kernel3x3& kernel, const NarrowFactor& factor, std::int32_t bias,
                        Sums sums) {
  for (; at != step.end; at += step.channels) {
    const Inputs inputs = inputs_of(step.rows, step.rows.words + at);
    step.lower_row[at] = saturate(finish(factor, lower_right(sums.lower, inputs, kernel)));
    step.upper_row[at] = saturate(finish(factor, upper_right(sums.upper, inputs, kernel)));
    sums.upper = upper_centre(sums.next_upper, inputs, kernel), sums.next_upper = upper_left(bias, inputs, kernel);
    sums.lower = lower_centre(sums.next_lower, inputs, kernel), sums.next_lower = lower_left(bias, inputs, kernel);
  }
}
#endif

/// Walks along the rows with one channel at a time. Where there is no lower row, its outputs are overwritten by the upper row's.
void compute_rows(const DepthwiseConv2dParams& params, FourRows rows, std::int8_t* output, std::uint32_t output_rows) {
  const std::uint32_t channels = params.input_channels, width = params.output_width * channels;
  const std::int32_t zero_point = params.output_zero_point;
  std::int8_t* const upper_row = output - 2 * channels;
  Step step = {rows, channels, 2 * channels + width, upper_row, output_rows == 2 ? upper_row + width : upper_row};
  const auto* record = reinterpret_cast<const WholeRecord3x3*>(params.channels());
  for (std::uint32_t channel = 0; channel < channels; ++channel, ++record, ++step.end) {
    const Kernel3x3 kernel(*record, record->right);
    const NarrowFactor factor(record->multiplier, record->shift + 1, zero_point);
    const std::int32_t bias = sum_of_bias(record->bias2);
    const std::uint32_t* const column = rows.words + channel;
    const Inputs first = inputs_of(rows, column), second = inputs_of(rows, column + channels);
    const Sums sums = {
        upper_centre(upper_left(bias, first, kernel), second, kernel),
        lower_centre(lower_left(bias, first, kernel), second, kernel),
        upper_left(bias, second, kernel),
        lower_left(bias, second, kernel),
    };
    finish_rows(step, channel + 2 * channels, kernel, factor, bias, sums);
  }
}

}  // namespace

void depthwise_conv2d_3x3_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_two_rows(input, params, scratch, output, compute_rows);
}

#endif

Error check_depthwise_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, KINDLING_MVE ? 3 : 4, 3, 1);
}

}  // namespace kindling
