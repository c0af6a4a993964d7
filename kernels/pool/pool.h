// Average and maximum pool, int8, NHWC; pool.py has their arithmetic. The output may lie over the input, `pixel_lead` of
// kernels/overlap.py bytes before it or more.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/pool/params.h"

namespace kindling {

/// int8 [batches][input_height][input_width][channels] -> int8 [batches][output_height][output_width][channels].
void avg_pool2d_s8(const std::int8_t* input, const AvgPool2dParams& params, std::int8_t* output);
Error check_avg_pool2d_s8(const std::uint32_t* argument_bytes, const void* params);

/// int8 [batches][input_height][input_width][channels] -> int8 [batches][output_height][output_width][channels].
void max_pool2d_s8(const std::int8_t* input, const MaxPool2dParams& params, std::int8_t* output);
Error check_max_pool2d_s8(const std::uint32_t* argument_bytes, const void* params);

/// Windows of any sizes that cover the image, see adaptive.py, which says too how far the output may lie over the input.
void adaptive_avg_pool2d_s8(const std::int8_t* input, const AdaptiveAvgPool2dParams& params, std::int8_t* output);
Error check_adaptive_avg_pool2d_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
