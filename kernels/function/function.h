// Functions of one float, element by element, the same on all cores; function.py has them all, kernels/float_math.h their arithmetic.
// The output may be the input, or start anywhere before it.
//
// A caller that knows shapes only at run time fills the params itself: the count, and the numbers that function.py names, in its order.
#pragma once

#include "kernels/function/params.h"
#include "kernels/kernel.h"

namespace kindling {

void abs_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_abs_f32(const std::uint32_t* argument_bytes, const void* params);

/// Between first and second; what is not a number stays so.
void clamp_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_clamp_f32(const std::uint32_t* argument_bytes, const void* params);

/// second * x above 0, second * first * (e^(third * x) - 1) below.
void elu_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_elu_f32(const std::uint32_t* argument_bytes, const void* params);

void erf_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_erf_f32(const std::uint32_t* argument_bytes, const void* params);

void exp_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_exp_f32(const std::uint32_t* argument_bytes, const void* params);

void expm1_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_expm1_f32(const std::uint32_t* argument_bytes, const void* params);

/// x * the normal distribution's probability of less than x, by the error function.
void gelu_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_gelu_f32(const std::uint32_t* argument_bytes, const void* params);

/// Its approximation by a hyperbolic tangent.
void gelu_by_tanh_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_gelu_by_tanh_f32(const std::uint32_t* argument_bytes, const void* params);

void hardsigmoid_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_hardsigmoid_f32(const std::uint32_t* argument_bytes, const void* params);

void hardswish_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_hardswish_f32(const std::uint32_t* argument_bytes, const void* params);

/// x above 0, first * x below.
void leaky_relu_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_leaky_relu_f32(const std::uint32_t* argument_bytes, const void* params);

void log_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_log_f32(const std::uint32_t* argument_bytes, const void* params);

void log1p_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_log1p_f32(const std::uint32_t* argument_bytes, const void* params);

/// x * tanh(softplus(x)).
void mish_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_mish_f32(const std::uint32_t* argument_bytes, const void* params);

void neg_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_neg_f32(const std::uint32_t* argument_bytes, const void* params);

void rsqrt_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_rsqrt_f32(const std::uint32_t* argument_bytes, const void* params);

void sigmoid_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_sigmoid_f32(const std::uint32_t* argument_bytes, const void* params);

/// x * sigmoid(x).
void silu_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_silu_f32(const std::uint32_t* argument_bytes, const void* params);

/// ln(1 + e^(first * x)) / first; x itself where first * x is more than second.
void softplus_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_softplus_f32(const std::uint32_t* argument_bytes, const void* params);

void sqrt_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_sqrt_f32(const std::uint32_t* argument_bytes, const void* params);

void tanh_f32(const float* input, const FunctionF32Params& params, float* output);
Error check_tanh_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
