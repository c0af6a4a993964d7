// Two-dimensional convolution, float, the same on all cores; conv2d_f32.py has its arithmetic and how its parameters are packed.
#pragma once

#include "kernels/conv2d/params.h"
#include "kernels/kernel.h"
#include "kernels/strides.h"

namespace kindling {

/// float [batches][input_height][input_width][input_channels] -> float [batches][output_height][output_width][output_channels].
/// The output may lie over the input, 4 * `pixel_lead` of kernels/overlap.py bytes before it or more.
void conv2d_f32(const float* input, const Conv2dF32Params& params, float* output);
Error check_conv2d_f32(const std::uint32_t* argument_bytes, const void* params);

/// The same for callers that know shapes and layouts only at run time: sizes, window, groups and bounds are those of `shape`, its
/// offsets are not used. `bias` has output_channels elements; nullptr is a bias of zeros. All sizes are 1 or more and `groups`
/// divides both numbers of channels; nothing is checked.
void convolve_f32(const Conv2dF32Params& shape, const float* input, const ImageStrides& input_strides, const float* weights,
                  const ImageStrides& weight_strides, const float* bias, float* output, const ImageStrides& output_strides);

}  // namespace kindling
