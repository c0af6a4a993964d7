// Two-dimensional convolution, int8, NHWC. conv2d.py says what each kernel serves and how its parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/conv2d/params.h"
#include "kernels/kernel.h"
#include "kernels/target.h"

namespace kindling {

/// int8 [rows][input_channels] -> int8 [rows][output_channels]. Scratch: tile_bytes(input_channels) of tile.h.
/// The output may lie over the input: it must start max(0, (rows - 1) * (output_channels - input_channels)) bytes before it, or
/// more.
void conv2d_1x1_s8(const std::int8_t* input, const PointwiseParams& params, void* scratch, std::int8_t* output);
Error check_conv2d_1x1_s8(const std::uint32_t* argument_bytes, const void* params);

/// int8 [batches][input_height][input_width][input_channels] -> int8 [batches][output_height][output_width][output_channels].
/// Scratch: tile_bytes(taps) of tile.h, taps = kernel_height * kernel_width * input_channels / groups.
void conv2d_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output);
Error check_conv2d_s8(const std::uint32_t* argument_bytes, const void* params);

/// As conv2d_s8, of 3x3 taps, one pixel apart, from whole sixteens of channels to whole fours, of one group. On MVE cores the taps of a
/// weight record are ordered by row, sixteen channels, column, and channel.
void conv2d_3x3_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output);
Error check_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* params);

/// As conv2d_s8, without its conditions on factors, and without scratch.
void conv2d_general_s8(const std::int8_t* input, const Conv2dGeneralParams& params, std::int8_t* output);
Error check_conv2d_general_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
