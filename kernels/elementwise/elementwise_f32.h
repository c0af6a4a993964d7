// Operators of two float tensors, element by element, which broadcast against each other as in NumPy, the same on all cores;
// elementwise_f32.py has their arithmetic, broadcast.py the order of elements.
//
// The output may be an input of its own size, or start anywhere before it. It must be apart from an input that is smaller.
//
// A caller that knows shapes only at run time fills the params itself and lays the axes behind them, as in
//   struct { BinaryF32Params params; OuterAxis axes[3]; } call;   with call.params.axes_offset = offsetof(decltype(call), axes);
// strides are in elements, and either operand may repeat along any axis (stride 0) or lie with gaps.
#pragma once

#include "kernels/elementwise/params.h"
#include "kernels/kernel.h"

namespace kindling {

/// a + alpha * b.
void add_f32(const float* a, const float* b, const BinaryF32Params& params, float* output);
Error check_add_f32(const std::uint32_t* argument_bytes, const void* params);

void mul_f32(const float* a, const float* b, const BinaryF32Params& params, float* output);
Error check_mul_f32(const std::uint32_t* argument_bytes, const void* params);

/// a / b as IEEE 754 has it: infinity or not a number where b is 0.
void div_f32(const float* a, const float* b, const BinaryF32Params& params, float* output);
Error check_div_f32(const std::uint32_t* argument_bytes, const void* params);

void minimum_f32(const float* a, const float* b, const BinaryF32Params& params, float* output);
Error check_minimum_f32(const std::uint32_t* argument_bytes, const void* params);

void maximum_f32(const float* a, const float* b, const BinaryF32Params& params, float* output);
Error check_maximum_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
