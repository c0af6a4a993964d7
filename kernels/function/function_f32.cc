#include "kernels/check.h"
#include "kernels/float_math.h"
#include "kernels/function/function.h"

namespace kindling {
namespace {

template <class Function>
inline void map(const float* input, const FunctionF32Params& params, float* output, Function function) {
  for (std::uint32_t left = params.count; left > 0; --left) *output++ = function(*input++);
}

Error check(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<FunctionF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && params->count > 0 && params->count == floats_in(argument_bytes[0]) &&
                  argument_bytes[0] == argument_bytes[2]);
}

inline float hard_sigmoid(float x) { return clamped(x + 3.0f, 0.0f, 6.0f) * 0.16666667f; }

inline float soft_plus(float x, float beta, float threshold) {
  const float scaled = x * beta;
  return scaled > threshold ? x : logarithm_of_one_more(exponential(scaled)) / beta;
}

}  // namespace

void abs_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, magnitude); }
Error check_abs_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void clamp_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [low = params.first, high = params.second](float x) { return clamped(x, low, high); });
}
Error check_clamp_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void elu_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [&params](float x) {
    return x > 0.0f ? params.second * x : params.second * (params.first * exponential_less_one(params.third * x));
  });
}
Error check_elu_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void erf_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, error_function); }
Error check_erf_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void exp_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, exponential); }
Error check_exp_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void expm1_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, exponential_less_one);
}
Error check_expm1_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void gelu_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return 0.5f * x * (1.0f + error_function(x * 0.70710678f)); });
}
Error check_gelu_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void gelu_by_tanh_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return 0.5f * x * (1.0f + hyperbolic_tangent(0.7978846f * (x + 0.044715f * x * x * x))); });
}
Error check_gelu_by_tanh_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void hardsigmoid_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, hard_sigmoid);
}
Error check_hardsigmoid_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void hardswish_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return x * hard_sigmoid(x); });
}
Error check_hardswish_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void leaky_relu_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [slope = params.first](float x) { return x > 0.0f ? x : slope * x; });
}
Error check_leaky_relu_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void log_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, logarithm); }
Error check_log_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void log1p_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, logarithm_of_one_more);
}
Error check_log1p_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void mish_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return x * hyperbolic_tangent(soft_plus(x, 1.0f, 20.0f)); });
}
Error check_mish_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void neg_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return -x; });
}
Error check_neg_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void rsqrt_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return 1.0f / square_root(x); });
}
Error check_rsqrt_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void sigmoid_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, sigmoid); }
Error check_sigmoid_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void silu_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [](float x) { return x * sigmoid(x); });
}
Error check_silu_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void softplus_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, [&params](float x) { return soft_plus(x, params.first, params.second); });
}
Error check_softplus_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void sqrt_f32(const float* input, const FunctionF32Params& params, float* output) { map(input, params, output, square_root); }
Error check_sqrt_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

void tanh_f32(const float* input, const FunctionF32Params& params, float* output) {
  map(input, params, output, hyperbolic_tangent);
}
Error check_tanh_f32(const std::uint32_t* argument_bytes, const void* params) { return check(argument_bytes, params); }

}  // namespace kindling
