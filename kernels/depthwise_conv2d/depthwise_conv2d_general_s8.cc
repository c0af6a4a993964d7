#include "kernels/check.h"
#include "kernels/depthwise_conv2d/depthwise_conv2d.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Sum of weights * inputs over the taps of output pixel (row, column) for output channel `channel`; taps outside the image read
/// the zero point.
std::int32_t convolve(const DepthwiseConv2dGeneralParams& params, const std::int8_t* image, std::int32_t row, std::int32_t column,
                      std::int32_t channel) {
  const std::int8_t* weights = params.weights() + channel * params.kernel_height * params.kernel_width;
  const std::int8_t* plane = image + channel / params.depth_multiplier;
  std::int32_t sum = 0;
  for (std::int32_t ky = 0; ky < params.kernel_height; ++ky) {
    const std::int32_t y = row * params.stride_height - params.pad_top + ky * params.dilation_height;
    for (std::int32_t kx = 0; kx < params.kernel_width; ++kx) {
      const std::int32_t x = column * params.stride_width - params.pad_left + kx * params.dilation_width;
      const bool inside = y >= 0 && y < params.input_height && x >= 0 && x < params.input_width;
      sum += *weights++ * (inside ? plane[(y * params.input_width + x) * params.input_channels] : params.input_zero_point);
    }
  }
  return sum;
}

}  // namespace

void depthwise_conv2d_general_s8(const std::int8_t* input, const DepthwiseConv2dGeneralParams& params, std::int8_t* output) {
  const Activation activation = activation_of(params);
  const std::int32_t channels = params.input_channels * params.depth_multiplier;
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for (std::int32_t row = 0; row < params.output_height; ++row) {
      for (std::int32_t column = 0; column < params.output_width; ++column) {
        for (std::int32_t channel = 0; channel < channels; ++channel) {
          const std::int32_t sum = convolve(params, input, row, column, channel) + params.bias()[channel];
          const std::int32_t scaled = requantise(sum, params.multiplier()[channel], params.shift()[channel]);
          *output++ = clamp(scaled + activation.zero_point, activation);
        }
      }
    }
    input += params.input_height * params.input_width * params.input_channels;
  }
}

Error check_depthwise_conv2d_general_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1], output = argument_bytes[2];
  using Params = DepthwiseConv2dGeneralParams;
  const auto* params = params_of<Params>(constant, params_bytes);
  if (params == nullptr || !are_small_sizes(&params->batches, &params->stride_width) ||
      !are_small_sizes(&params->dilation_height, &params->depth_multiplier)) {
    return Error::InvalidArgument;
  }
  const Params& p = *params;
  const Size channels = Size(p.input_channels) * p.depth_multiplier;
  return valid_if((Size(p.batches) * p.input_height * p.input_width * p.input_channels).is(input) &&
                  (Size(p.batches) * p.output_height * p.output_width * channels).is(output) &&
                  holds_array<Params>(params_bytes, p.weights_offset, channels * p.kernel_height * p.kernel_width) &&
                  holds_array<Params>(params_bytes, p.bias_offset, channels * 4) &&
                  holds_array<Params>(params_bytes, p.multiplier_offset, channels * 4) &&
                  holds_array<Params>(params_bytes, p.shift_offset, channels));
}

}  // namespace kindling
