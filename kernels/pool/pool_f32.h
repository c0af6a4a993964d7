// Average and maximum pool of floats, NHWC, the same on all cores; pool_f32.py has their arithmetic. The output may lie over the input,
// 4 * `pixel_lead` of kernels/overlap.py bytes before it or more.
//
// A caller that knows shapes only at run time fills the params itself. NCHW is NHWC with a batch for each channel and one channel.
#pragma once

#include "kernels/kernel.h"
#include "kernels/pool/params.h"

namespace kindling {

/// float [batches][input_height][input_width][channels] -> float [batches][output_height][output_width][channels].
void avg_pool2d_f32(const float* input, const AvgPool2dF32Params& params, float* output);
Error check_avg_pool2d_f32(const std::uint32_t* argument_bytes, const void* params);

/// float [batches][input_height][input_width][channels] -> float [batches][output_height][output_width][channels].
void max_pool2d_f32(const float* input, const MaxPool2dF32Params& params, float* output);
Error check_max_pool2d_f32(const std::uint32_t* argument_bytes, const void* params);

/// Windows of any sizes that cover the image, see adaptive.py, which says too how far the output may lie over the input.
void adaptive_avg_pool2d_f32(const float* input, const AdaptiveAvgPool2dF32Params& params, float* output);
Error check_adaptive_avg_pool2d_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
