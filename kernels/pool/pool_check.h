// What the checks of pools have in common.
#pragma once

#include <cstdint>

#include "kernels/check.h"

namespace kindling {

/// Whether the sizes and strides of a pool are possible and its tensors have these many elements.
template <class Params>
bool is_pool(const Params& params, std::uint32_t input_elements, std::uint32_t output_elements) {
  return are_small_sizes(&params.batches, &params.stride_width) &&
         (Size(params.batches) * params.input_height * params.input_width * params.channels).is(input_elements) &&
         (Size(params.batches) * params.output_height * params.output_width * params.channels).is(output_elements);
}

}  // namespace kindling
