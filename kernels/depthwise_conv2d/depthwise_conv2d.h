// Depthwise convolution, int8, NHWC. depthwise_conv2d.py says what each kernel serves and how its parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/depthwise_conv2d/params.h"
#include "kernels/kernel.h"

namespace kindling {

/// int8 [batches][input_height][input_width][channels] -> int8 [batches][output_height][output_width][channels].
/// Scratch: the input rows of an output row, `scratch_bytes` of
/// depthwise_conv2d.py. The output may lie over the input, `row_lead` of kernels/overlap.py bytes before it or more.
void depthwise_conv2d_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output);
Error check_depthwise_conv2d_s8(const std::uint32_t* argument_bytes, const void* params);

/// As depthwise_conv2d_s8, with any multiplier and dilation, and without scratch.
void depthwise_conv2d_dilated_s8(const std::int8_t* input, const DilatedDepthwiseParams& params, std::int8_t* output);
Error check_depthwise_conv2d_dilated_s8(const std::uint32_t* argument_bytes, const void* params);

/// As depthwise_conv2d_s8, for 3x3 kernels with stride 2.
void depthwise_conv2d_3x3_s2_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output);
Error check_depthwise_conv2d_3x3_s2_s8(const std::uint32_t* argument_bytes, const void* params);

/// As depthwise_conv2d_s8, for 3x3 kernels with stride 1.
void depthwise_conv2d_3x3_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output);
Error check_depthwise_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* params);

/// Any multiplier, dilation and factors, without scratch.
void depthwise_conv2d_general_s8(const std::int8_t* input, const DepthwiseConv2dGeneralParams& params, std::int8_t* output);
Error check_depthwise_conv2d_general_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
