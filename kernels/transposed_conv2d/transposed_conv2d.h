// Transposed two-dimensional convolution, int8, NHWC. transposed_conv2d.py says what it computes and how its parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/transposed_conv2d/params.h"

namespace kindling {

/// int8 [batches][input_height][input_width][input_channels] -> int8 [batches][output_height][output_width][output_channels].
/// Scratch: tile_bytes (kernels/conv2d/tile.h) of the taps of the largest phase.
void transposed_conv2d_s8(const std::int8_t* input, const TransposedConv2dParams& params, void* scratch, std::int8_t* output);
Error check_transposed_conv2d_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
