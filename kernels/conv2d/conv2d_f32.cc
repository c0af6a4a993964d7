#include "kernels/conv2d/conv2d_f32.h"

#include "kernels/check.h"
#include "kernels/conv2d/geometry.h"
#include "kernels/float_math.h"
#include "kernels/span.h"

namespace kindling {
namespace {

/// The taps of a window that lie inside the image, for one output channel.
struct Taps {
  std::int32_t rows, columns, depth;
  ImageStrides input, weights;  // the first's row and column are those of neighbouring taps
};

float add_products(float sum, const float* input, const float* weights, const Taps& taps) {
  for (std::int32_t y = taps.rows; y > 0; --y, input += taps.input.row, weights += taps.weights.row) {
    const float *input_row = input, *weight_row = weights;
    for (std::int32_t x = taps.columns; x > 0; --x, input_row += taps.input.column, weight_row += taps.weights.column) {
      const float *element = input_row, *weight = weight_row;
      for (std::int32_t i = taps.depth; i > 0; --i, element += taps.input.channel, weight += taps.weights.channel) {
        sum += *element * *weight;
      }
    }
  }
  return sum;
}

}  // namespace

void convolve_f32(const Conv2dF32Params& shape, const float* input, const ImageStrides& input_strides, const float* weights,
                  const ImageStrides& weight_strides, const float* bias, float* output, const ImageStrides& output_strides) {
  const std::int32_t groups = shape.groups, per_group = shape.output_channels / groups;
  Taps taps;
  taps.depth = shape.input_channels / groups;
  taps.input = input_strides, taps.weights = weight_strides;
  taps.input.row *= shape.dilation_height, taps.input.column *= shape.dilation_width;
  for (std::int32_t image = 0; image < shape.batches; ++image, input += input_strides.batch, output += output_strides.batch) {
    for (std::int32_t row = 0; row < shape.output_height; ++row) {
      const Span rows =
          span_inside(row * shape.stride_height - shape.pad_top, shape.kernel_height, shape.dilation_height, shape.input_height);
      taps.rows = rows.count;
      for (std::int32_t column = 0; column < shape.output_width; ++column) {
        const Span columns =
            span_inside(column * shape.stride_width - shape.pad_left, shape.kernel_width, shape.dilation_width, shape.input_width);
        taps.columns = columns.count;
        const float* window = input + rows.first * input_strides.row + columns.first * input_strides.column;
        const float* channel_weights = weights + rows.before * weight_strides.row + columns.before * weight_strides.column;
        const float* channel_bias = bias;
        float* result = output + row * output_strides.row + column * output_strides.column;
        for (std::int32_t group = groups; group > 0; --group, window += taps.depth * input_strides.channel) {
          for (std::int32_t channel = per_group; channel > 0; --channel, channel_weights += weight_strides.batch) {
            const float sum = add_products(channel_bias == nullptr ? 0.0f : *channel_bias++, window, channel_weights, taps);
            *result = clamped(sum, shape.activation_min, shape.activation_max);
            result += output_strides.channel;
          }
        }
      }
    }
  }
}

void conv2d_f32(const float* input, const Conv2dF32Params& params, float* output) {
  convolve_f32(params, input, channels_last(params.input_height, params.input_width, params.input_channels), params.weights(),
               channels_last(params.kernel_height, params.kernel_width, params.input_channels / params.groups), params.bias(),
               output, channels_last(params.output_height, params.output_width, params.output_channels));
}

Error check_conv2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t params_bytes = argument_bytes[1];
  const auto* params = params_of<Conv2dF32Params>(constant, params_bytes);
  if (params == nullptr || !is_convolution(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2]))) {
    return Error::InvalidArgument;
  }
  const Size channels = params->output_channels, depth = params->input_channels / params->groups;
  const Size weights = channels * params->kernel_height * params->kernel_width * depth;
  return valid_if(holds_array<Conv2dF32Params>(params_bytes, params->weights_offset, weights * sizeof(float)) &&
                  holds_array<Conv2dF32Params>(params_bytes, params->bias_offset, channels * sizeof(float)));
}

}  // namespace kindling
