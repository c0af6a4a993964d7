#include "kernels/matmul/matmul_f32.h"

#include "kernels/check.h"
#include "kernels/linear/linear_f32.h"

namespace kindling {

void matmul_f32(const float* a, const float* b, const MatmulF32Params& params, float* output) {
  const auto depth = static_cast<std::int32_t>(params.depth), columns = static_cast<std::int32_t>(params.columns);
  const LinearF32Params shape = {.weights_offset = 0,
                                 .bias_offset = 0,
                                 .rows = params.rows,
                                 .input_channels = params.depth,
                                 .output_channels = params.columns,
                                 .activation_min = params.activation_min,
                                 .activation_max = params.activation_max};
  const MatrixStrides of_b = params.transposed ? MatrixStrides{depth, 1} : MatrixStrides{1, columns};
  for (std::uint32_t left = params.batches; left > 0; --left) {
    matrix_product_f32(shape, a, {depth, 1}, b, of_b, nullptr, {0, 0}, output, {columns, 1});
    a += params.step_a;
    b += params.step_b;
    output += params.rows * params.columns;
  }
}

Error check_matmul_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<MatmulF32Params>(constant, argument_bytes[2]);
  if (params == nullptr || !all_positive(params->batches, params->rows, params->depth, params->columns)) return Error::InvalidArgument;
  const Size rows = params->rows, depth = params->depth, columns = params->columns, matrix_a = rows * depth, matrix_b = depth * columns;
  const Size batches_a = params->step_a == 0 ? 1 : params->batches, batches_b = params->step_b == 0 ? 1 : params->batches;
  return valid_if((params->step_a == 0 || matrix_a.is(params->step_a)) && (params->step_b == 0 || matrix_b.is(params->step_b)) &&
                  (batches_a * matrix_a).is(floats_in(argument_bytes[0])) && (batches_b * matrix_b).is(floats_in(argument_bytes[1])) &&
                  (Size(params->batches) * rows * columns).is(floats_in(argument_bytes[3])));
}

}  // namespace kindling
