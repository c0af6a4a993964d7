#include "kernels/conv2d/conv2d_f32.h"

#include "kernels/conv2d/convolve_f32.h"
#include "kernels/span.h"

namespace kindling {
namespace {

struct Axis {
  std::int32_t stride, padding, taps, input_step, size;
  static constexpr std::int32_t tap_step = 1;

  MetTaps met(std::int32_t output) const {
    const Span span = span_inside(output * stride - padding, taps, input_step, size);
    return {span.before, span.count, span.first};
  }
};

}  // namespace

void convolve_f32(const Conv2dF32Params& shape, const float* input, const ImageStrides& input_strides, const float* weights,
                  const ImageStrides& weight_strides, const float* bias, float* output, const ImageStrides& output_strides) {
  const Axis rows = {shape.stride_height, shape.pad_top, shape.kernel_height, shape.dilation_height, shape.input_height};
  const Axis columns = {shape.stride_width, shape.pad_left, shape.kernel_width, shape.dilation_width, shape.input_width};
  convolve(shape, rows, columns, {input, input_strides, weights, weight_strides, bias, output, output_strides});
}

void conv2d_f32(const float* input, const Conv2dF32Params& params, float* output) {
  const Operands at = channels_last_operands(input, params, output);
  convolve_f32(params, at.input, at.input_strides, at.weights, at.weight_strides, at.bias, at.output, at.output_strides);
}

Error check_conv2d_f32(const std::uint32_t* argument_bytes, const void* params) {
  return valid_if(float_convolution_of(argument_bytes, params) != nullptr);
}

}  // namespace kindling
