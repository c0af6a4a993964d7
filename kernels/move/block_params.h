// Params that describe a block: fields axes_offset, rank, input_bytes, output_bytes, input_offset, output_offset.
#pragma once

#include "kernels/check.h"
#include "kernels/move/block.h"

namespace kindling {

template <class Params>
const CopyAxis* axes_of(const Params& params) {
  return reinterpret_cast<const CopyAxis*>(params.axes());
}

template <class Params>
void copy_block(const std::int8_t* input, const Params& params, std::int8_t* output) {
  copy_block(input + params.input_offset, axes_of(params), params.rank, output + params.output_offset);
}

/// The check of a kernel that has one input and one output and copies a block between them.
template <class Params>
Error check_block(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<Params>(constant, argument_bytes[1]);
  if (params == nullptr || params->input_bytes != argument_bytes[0] || params->output_bytes != argument_bytes[2] ||
      !holds_array<Params>(argument_bytes[1], params->axes_offset, 0)) {
    return Error::InvalidArgument;
  }
  return valid_if(block_fits(argument_bytes[1] - params->axes_offset, axes_of(*params), params->rank, params->input_offset,
                             params->input_bytes, params->output_offset, params->output_bytes));
}

}  // namespace kindling
