#include "kernels/softmax/softmax_f32.h"

#include "kernels/check.h"
#include "kernels/float_math.h"

namespace kindling {
namespace {

/// Of elements that are `step` apart.
void softmax_row(const float* input, std::uint32_t depth, std::uint32_t step, float* output) {
  const std::uint32_t end = depth * step;
  float largest = *input;
  for (std::uint32_t i = step; i < end; i += step) largest = greater(largest, input[i]);
  float sum = 0.0f;
  for (std::uint32_t i = 0; i < end; i += step) {
    const float term = exponential(input[i] - largest);
    output[i] = term;
    sum += term;
  }
  const float inverse = 1.0f / sum;
  for (std::uint32_t i = 0; i < end; i += step) output[i] *= inverse;
}

}  // namespace

void softmax_f32(const float* input, const SoftmaxF32Params& params, float* output) {
  const std::uint32_t inner = params.inner, slice = params.depth * inner;
  for (std::uint32_t outer = params.outer; outer > 0; --outer, input += slice, output += slice) {
    for (std::uint32_t column = 0; column < inner; ++column) softmax_row(input + column, params.depth, inner, output + column);
  }
}

Error check_softmax_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<SoftmaxF32Params>(constant, argument_bytes[1]);
  if (params == nullptr || !all_positive(params->outer, params->depth, params->inner)) return Error::InvalidArgument;
  const Size elements = Size(params->outer) * params->depth * params->inner;
  return valid_if(elements.is(floats_in(argument_bytes[0])) && argument_bytes[0] == argument_bytes[2]);
}

}  // namespace kindling
