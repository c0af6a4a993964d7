// Fully connected layer, int8. linear.py says what each kernel serves and how its parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/linear/params.h"

namespace kindling {

/// int8 [input_channels] -> int8 [output_channels]; they may overlap in any way. Scratch: `scratch_bytes` of linear.py.
void linear_s8(const std::int8_t* input, const LinearParams& params, void* scratch, std::int8_t* output);
Error check_linear_s8(const std::uint32_t* argument_bytes, const void* params);

/// int8 [rows][input_channels] -> int8 [rows][output_channels], any factors, without scratch.
void linear_general_s8(const std::int8_t* input, const LinearGeneralParams& params, std::int8_t* output);
Error check_linear_general_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
