#include "kernels/depthwise_conv2d/depthwise_conv2d.h"
#include "kernels/depthwise_conv2d/four_rows_3x3.h"
#include "kernels/depthwise_conv2d/mve_3x3.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/requantise.h"

namespace kindling {

#if KINDLING_MVE

void depthwise_conv2d_3x3_s2_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, compute_3x3_row<2>);
}

#else

namespace {

/// Walks along the rows with one channel at a time; the right column of a window is the left one of the next.
void compute_row(const DepthwiseConv2dParams& params, FourRows rows, std::int8_t* output, std::uint32_t) {
  const std::uint32_t channels = params.input_channels, width = params.output_width;
  const Record3x3* record = first_record(params.channels());
  const RightCorners* corners = first_corners(params.channels(), channels);
  for (std::uint32_t channel = 0; channel < channels; ++channel, ++record, ++corners, ++output) {
    const Kernel3x3 kernel(*record, *corners);
    const NarrowFactor factor(record->multiplier, record->shift + 1, params.output_zero_point);
    const std::int32_t bias = sum_of_bias(record->bias2);

    const std::uint32_t* column = rows.words + channel;
    std::int32_t sum = upper_left(bias, inputs_of(rows, column), kernel);
    std::int8_t* out = output;
    for (std::uint32_t left = width; left > 0; --left, out += channels) {
      column += channels;
      sum = upper_centre(sum, inputs_of(rows, column), kernel);
      column += channels;
      const Inputs last = inputs_of(rows, column);
      *out = saturate(finish(factor, upper_right(sum, last, kernel)));
      sum = upper_left(bias, last, kernel);
    }
  }
}

}  // namespace

void depthwise_conv2d_3x3_s2_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_two_rows(input, params, scratch, output, compute_row);
}

#endif

Error check_depthwise_conv2d_3x3_s2_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, KINDLING_MVE ? 3 : 4, 3, 2);
}

}  // namespace kindling
