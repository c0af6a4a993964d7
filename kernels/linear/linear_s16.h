// Fully connected layer of int8 with results of int16; linear_s16.py says how its parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/linear/params.h"

namespace kindling {

/// int8 [rows][input_channels] -> int16 [rows][output_channels]; the output may start (rows - 1) * (2 * output_channels - input_channels)
/// bytes before the input, or more, and anywhere if there is one row. Scratch: `scratch_bytes` of linear_s16.py.
void linear_s16(const std::int8_t* input, const LinearS16Params& params, void* scratch, std::int16_t* output);
Error check_linear_s16(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
