// Transposed two-dimensional convolution, float, the same on all cores; transposed_conv2d_f32.py says what it computes.
#pragma once

#include "kernels/conv2d/params.h"
#include "kernels/kernel.h"
#include "kernels/strides.h"

namespace kindling {

/// float [batches][input_height][input_width][input_channels] -> float [batches][output_height][output_width][output_channels].
/// The output may lie over the input, 4 * `row_lead` of spread.py bytes before it or more.
void transposed_conv2d_f32(const float* input, const Conv2dF32Params& params, float* output);
Error check_transposed_conv2d_f32(const std::uint32_t* argument_bytes, const void* params);

/// The same for callers that know shapes and layouts only at run time, see convolve_f32 (kernels/conv2d/conv2d_f32.h). Pads are those
/// of spread.py: d * (kernel - 1) - p for PyTorch's padding p and dilation d; its weights are turned by half a turn, which is a
/// matter of strides too: `weights` is the last tap, strides of row and column are negative.
void convolve_transposed_f32(const Conv2dF32Params& shape, const float* input, const ImageStrides& input_strides, const float* weights,
                             const ImageStrides& weight_strides, const float* bias, float* output, const ImageStrides& output_strides);

}  // namespace kindling
