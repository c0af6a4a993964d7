// Between int8 and int16, or int16 of two scales; requantize.py has the arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/quantize/params.h"

namespace kindling {

/// int16 [count] -> int8 [count]. The output may be the input, or start anywhere before it.
void requantize_s16_s8(const std::int16_t* input, const RequantizeParams& params, std::int8_t* output);
Error check_requantize_s16_s8(const std::uint32_t* argument_bytes, const void* params);

/// int8 [count] -> int16 [count]. The output may start count - 1 bytes before the input, or more.
void requantize_s8_s16(const std::int8_t* input, const RequantizeParams& params, std::int16_t* output);
Error check_requantize_s8_s16(const std::uint32_t* argument_bytes, const void* params);

/// int16 [count] -> int16 [count]. The output may be the input, or start anywhere before it.
void requantize_s16_s16(const std::int16_t* input, const RequantizeParams& params, std::int16_t* output);
Error check_requantize_s16_s16(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
