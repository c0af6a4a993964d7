// Between float and int8; quantize.py has the arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/quantize/params.h"

namespace kindling {

/// float [count] -> int8 [count]. The output may be the input, or start anywhere before it.
void quantize_s8(const float* input, const QuantizeParams& params, std::int8_t* output);
Error check_quantize_s8(const std::uint32_t* argument_bytes, const void* params);

/// float [count] -> int16 [count]. Likewise.
void quantize_s16(const float* input, const QuantizeParams& params, std::int16_t* output);
Error check_quantize_s16(const std::uint32_t* argument_bytes, const void* params);

/// int8 [count] -> float [count]. The output may start 3 * (count - 1) bytes before the input, or more.
void dequantize_s8(const std::int8_t* input, const DequantizeParams& params, float* output);
Error check_dequantize_s8(const std::uint32_t* argument_bytes, const void* params);

/// int16 [count] -> float [count]. The output may start 2 * (count - 1) bytes before the input, or more.
void dequantize_s16(const std::int16_t* input, const DequantizeParams& params, float* output);
Error check_dequantize_s16(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
