#include "kernels/linear/linear_f32.h"

#include "kernels/check.h"
#include "kernels/float_math.h"

namespace kindling {

void matrix_product_f32(const LinearF32Params& shape, const float* a, MatrixStrides a_strides, const float* b, MatrixStrides b_strides,
                        const float* bias, MatrixStrides bias_strides, float* output, MatrixStrides output_strides) {
  for (std::uint32_t row = 0; row < shape.rows; ++row, a += a_strides.row, output += output_strides.row) {
    const float *b_row = b, *bias_element = bias;
    float* result = output;
    for (std::uint32_t channel = 0; channel < shape.output_channels; ++channel, b_row += b_strides.row) {
      float sum = bias == nullptr ? 0.0f : *bias_element;
      const float *a_element = a, *b_element = b_row;
      for (std::uint32_t i = shape.input_channels; i > 0; --i, a_element += a_strides.column, b_element += b_strides.column) {
        sum += *a_element * *b_element;
      }
      *result = clamped(sum, shape.activation_min, shape.activation_max);
      result += output_strides.column;
      if (bias != nullptr) bias_element += bias_strides.column;
    }
    if (bias != nullptr) bias += bias_strides.row;
  }
}

void linear_f32(const float* input, const LinearF32Params& params, float* output) {
  const auto depth = static_cast<std::int32_t>(params.input_channels), channels = static_cast<std::int32_t>(params.output_channels);
  matrix_product_f32(params, input, {depth, 1}, params.weights(), {depth, 1}, params.bias(), {0, 1}, output, {channels, 1});
}

Error check_linear_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<LinearF32Params>(constant, argument_bytes[1]);
  if (params == nullptr || !all_positive(params->rows, params->input_channels, params->output_channels)) return Error::InvalidArgument;
  const Size rows = params->rows, depth = params->input_channels, channels = params->output_channels, itemsize = sizeof(float);
  return valid_if((rows * depth).is(floats_in(argument_bytes[0])) && (rows * channels).is(floats_in(argument_bytes[2])) &&
                  holds_array<LinearF32Params>(argument_bytes[1], params->weights_offset, channels * depth * itemsize) &&
                  holds_array<LinearF32Params>(argument_bytes[1], params->bias_offset, channels * itemsize));
}

}  // namespace kindling
