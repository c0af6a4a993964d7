#include "kernels/check.h"
#include "kernels/linear/linear.h"
#include "kernels/requantise.h"

namespace kindling {

void linear_general_s8(const std::int8_t* input, const LinearGeneralParams& params, std::int8_t* output) {
  const Activation activation = activation_of(params);
  for (std::uint32_t row = 0; row < params.rows; ++row, input += params.input_channels) {
    const std::int8_t* weights = params.weights();
    for (std::uint32_t channel = 0; channel < params.output_channels; ++channel) {
      std::int32_t sum = params.bias()[channel];
      for (std::uint32_t i = 0; i < params.input_channels; ++i) sum += input[i] * *weights++;
      const std::int32_t scaled = requantise(sum, params.multiplier()[channel], params.shift()[channel]);
      *output++ = clamp(scaled + activation.zero_point, activation);
    }
  }
}

Error check_linear_general_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1], output = argument_bytes[2];
  using Params = LinearGeneralParams;
  const auto* params = params_of<Params>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const Size rows = params->rows, depth = params->input_channels, channels = params->output_channels;
  return valid_if(all_positive(params->rows, params->input_channels, params->output_channels) && (rows * depth).is(input) &&
                  (rows * channels).is(output) && holds_array<Params>(params_bytes, params->weights_offset, channels * depth) &&
                  holds_array<Params>(params_bytes, params->bias_offset, channels * 4) &&
                  holds_array<Params>(params_bytes, params->multiplier_offset, channels * 4) &&
                  holds_array<Params>(params_bytes, params->shift_offset, channels));
}

}  // namespace kindling
