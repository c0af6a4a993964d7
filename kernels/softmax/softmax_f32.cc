#include "kernels/softmax/softmax_f32.h"

#include "kernels/float_math.h"
#include "kernels/softmax/rows_f32.h"

namespace kindling {
namespace {

/// Of elements that are `step` apart.
[[gnu::always_inline]] inline void softmax_row(const float* input, std::uint32_t depth, std::uint32_t step, float* output) {
  const std::uint32_t end = depth * step;
  const float largest = largest_of(input, depth, step);
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
  for_each_row(input, params, output, softmax_row);
}

Error check_softmax_f32(const std::uint32_t* argument_bytes, const void* constant) { return check_rows(argument_bytes, constant); }

}  // namespace kindling
