#include "kernels/transposed_conv2d/transposed_conv2d_f32.h"

#include "kernels/conv2d/convolve_f32.h"
#include "kernels/span.h"

namespace kindling {
namespace {

/// Taps lie `dilation` positions apart, pixels `spread`: every tap_step-th tap meets a pixel, input_step pixels further on.
struct Axis {
  std::int32_t spread, padding, taps, dilation, size, tap_step, input_step;

  Axis(std::int32_t spread, std::int32_t padding, std::int32_t taps, std::int32_t dilation, std::int32_t size)
      : spread(spread), padding(padding), taps(taps), dilation(dilation), size(size), tap_step(1) {
    while (tap_step * dilation % spread != 0) ++tap_step;
    input_step = tap_step * dilation / spread;
  }

  MetTaps met(std::int32_t output) const {
    std::int32_t position = output - padding, tap = 0;
    for (; tap < tap_step && position % spread != 0; ++tap) position += dilation;
    if (tap == tap_step || tap >= taps) return {0, 0, 0};
    const Span span = span_inside(position / spread, (taps - tap + tap_step - 1) / tap_step, input_step, size);
    return {tap + span.before * tap_step, span.count, span.first};
  }
};

}  // namespace

void convolve_transposed_f32(const Conv2dF32Params& shape, const float* input, const ImageStrides& input_strides, const float* weights,
                             const ImageStrides& weight_strides, const float* bias, float* output, const ImageStrides& output_strides) {
  const Axis rows(shape.spread_height, shape.pad_top, shape.kernel_height, shape.dilation_height, shape.input_height);
  const Axis columns(shape.spread_width, shape.pad_left, shape.kernel_width, shape.dilation_width, shape.input_width);
  convolve(shape, rows, columns, {input, input_strides, weights, weight_strides, bias, output, output_strides});
}

void transposed_conv2d_f32(const float* input, const Conv2dF32Params& params, float* output) {
  const Operands at = channels_last_operands(input, params, output);
  convolve_transposed_f32(params, at.input, at.input_strides, at.weights, at.weight_strides, at.bias, at.output, at.output_strides);
}

Error check_transposed_conv2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = float_convolution_of(argument_bytes, constant);
  return valid_if(params != nullptr && are_small_sizes(&params->spread_height, &params->spread_width));
}

}  // namespace kindling
