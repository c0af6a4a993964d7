// Fully connected layer of floats, the same on all cores; linear_f32.py has its arithmetic and how its parameters are packed.
#pragma once

#include "kernels/kernel.h"
#include "kernels/linear/params.h"
#include "kernels/strides.h"

namespace kindling {

/// float [rows][input_channels] -> float [rows][output_channels]. The output may lie over the input,
/// 4 * max(output_channels, rows * output_channels - (rows - 1) * input_channels) bytes before it or more.
void linear_f32(const float* input, const LinearF32Params& params, float* output);
Error check_linear_f32(const std::uint32_t* argument_bytes, const void* params);

/// A matrix product for callers that know shapes and layouts only at run time: output [rows][output_channels] = a [rows][input_channels]
/// times b [output_channels][input_channels], plus bias [rows][output_channels] (nullptr for none), clamped. Sizes and bounds are those
/// of `shape`, its offsets are not used. A matrix that is stored transposed, or a bias that repeats (stride 0), is a matter of strides.
void matrix_product_f32(const LinearF32Params& shape, const float* a, MatrixStrides a_strides, const float* b, MatrixStrides b_strides,
                        const float* bias, MatrixStrides bias_strides, float* output, MatrixStrides output_strides);

}  // namespace kindling
