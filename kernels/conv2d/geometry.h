// What the parameters of convolutions have in common.
#pragma once

#include <cstdint>

#include "kernels/check.h"

namespace kindling {

/// Whether the sizes, strides and groups of a convolution are possible and its tensors have these many elements. The window may lie
/// anywhere: kernels read only the taps that are inside the image.
template <class Params>
bool is_convolution(const Params& params, std::uint32_t input_elements, std::uint32_t output_elements) {
  const Size input = Size(params.batches) * params.input_height * params.input_width * params.input_channels;
  const Size output = Size(params.batches) * params.output_height * params.output_width * params.output_channels;
  return are_small_sizes(&params.batches, &params.dilation_width) &&
         params.input_channels % params.groups == 0 && params.output_channels % params.groups == 0 && input.is(input_elements) &&
         output.is(output_elements);
}

}  // namespace kindling
