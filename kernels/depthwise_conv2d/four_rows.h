// Four input rows in scratch, for 3x3 windows on scalar and DSP cores: a word for each column and channel holds its inputs of all
// four rows, so that one load brings them. They are the rows that two output rows depend on at stride 1, or more than one at stride
// 2; a step moves on by two rows, which take the places of the oldest two. An input row is copied once, before the first output row
// that depends on it is written, so that the output may overwrite the input.
#pragma once

#include <cstdint>

#include "kernels/depthwise_conv2d/params.h"

namespace kindling {

/// The rows under a step's outputs.
struct FourRows {
  const std::uint32_t* words;  // [columns][channels], the first column being the first one that the first output pixel depends on
  std::uint32_t rotation;      // to the right, in bits, that brings the uppermost row to a word's lowest byte: 0 or 16
};

/// Computes the `output_rows` (1 or 2) output rows of a step, saturated to int8 but not yet clamped.
using FourRowsFunction = void (*)(const DepthwiseConv2dParams& params, FourRows rows, std::int8_t* output,
                                  std::uint32_t output_rows);

/// Calls `compute` for the steps of each image: 2 / stride output rows at a time, the last perhaps fewer. Scratch: four rows, as
/// check_rows counts them.
void for_each_two_rows(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output,
                       FourRowsFunction compute);

}  // namespace kindling
