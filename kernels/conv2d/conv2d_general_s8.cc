#include "kernels/conv2d/conv2d.h"
#include "kernels/conv2d/geometry.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Which of `size` pixels that lie `spread` apart is at a position; -1 if none.
std::int32_t pixel_at(std::int32_t position, std::int32_t spread, std::int32_t size) {
  if (position < 0) return -1;
  const std::int32_t pixel = spread == 1 ? position : position / spread;
  return pixel < size && pixel * spread == position ? pixel : -1;
}

/// Sum of weights * inputs over the taps of output pixel (row, column) for output channel `channel`; taps outside the image, or
/// between its pixels, read the zero point.
std::int32_t convolve(const Conv2dGeneralParams& params, const std::int8_t* image, std::int32_t row, std::int32_t column,
                      std::int32_t channel) {
  const std::int32_t depth = params.input_channels / params.groups;
  const std::int32_t first_channel = channel / (params.output_channels / params.groups) * depth;
  const std::int8_t* weights = params.weights() + channel * params.kernel_height * params.kernel_width * depth;
  std::int32_t sum = 0;
  for (std::int32_t ky = 0; ky < params.kernel_height; ++ky) {
    const std::int32_t top = row * params.stride_height - params.pad_top + ky * params.dilation_height;
    const std::int32_t y = pixel_at(top, params.spread_height, params.input_height);
    for (std::int32_t kx = 0; kx < params.kernel_width; ++kx) {
      const std::int32_t left = column * params.stride_width - params.pad_left + kx * params.dilation_width;
      const std::int32_t x = pixel_at(left, params.spread_width, params.input_width);
      const bool inside = y >= 0 && x >= 0;
      const std::int8_t* source = inside ? image + (y * params.input_width + x) * params.input_channels + first_channel : nullptr;
      for (std::int32_t i = 0; i < depth; ++i) sum += *weights++ * (inside ? source[i] : params.input_zero_point);
    }
  }
  return sum;
}

}  // namespace

void conv2d_general_s8(const std::int8_t* input, const Conv2dGeneralParams& params, std::int8_t* output) {
  const Activation activation = activation_of(params);
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for (std::int32_t row = 0; row < params.output_height; ++row) {
      for (std::int32_t column = 0; column < params.output_width; ++column) {
        for (std::int32_t channel = 0; channel < params.output_channels; ++channel) {
          const std::int32_t sum = convolve(params, input, row, column, channel) + params.bias()[channel];
          const std::int32_t scaled = requantise(sum, params.multiplier()[channel], params.shift()[channel]);
          *output++ = clamp(scaled + activation.zero_point, activation);
        }
      }
    }
    input += params.input_height * params.input_width * params.input_channels;
  }
}

Error check_conv2d_general_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1], output = argument_bytes[2];
  const auto* params = params_of<Conv2dGeneralParams>(constant, params_bytes);
  if (params == nullptr || !is_convolution(*params, input, output)) return Error::InvalidArgument;
  if (!all_positive(params->spread_height, params->spread_width)) return Error::InvalidArgument;
  const std::uint32_t depth = params->input_channels / params->groups, channels = params->output_channels;
  using Params = Conv2dGeneralParams;
  return valid_if(holds_array<Params>(params_bytes, params->weights_offset,
                                      Size(channels) * params->kernel_height * params->kernel_width * depth) &&
                  holds_array<Params>(params_bytes, params->bias_offset, Size(channels) * 4) &&
                  holds_array<Params>(params_bytes, params->multiplier_offset, Size(channels) * 4) &&
                  holds_array<Params>(params_bytes, params->shift_offset, channels));
}

}  // namespace kindling
