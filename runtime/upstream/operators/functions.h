// aten functions of each element of a float tensor, and softmax, by the polynomials of kernels/float_math.h: the same bits on every
// core and the host, a few units in the last place away from upstream's, which are those of its machine's mathematical library.
#pragma once

#include "runtime/upstream/loops.h"
#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// y = f(x)
struct Function : Step {
  const float* x;
  float* y;
  Loops<2> loops;  // y, x
};

/// Over the dimension that lies `stride` elements apart.
struct Softmax : Step {
  const float* x;
  float* y;
  uint32_t depth, x_stride, y_stride;
  Loops<2> loops;  // y, x: over the other dimensions
};

Error prepare_sigmoid(Call& call);
Error prepare_tanh(Call& call);
Error prepare_exp(Call& call);
Error prepare_log(Call& call);
Error prepare_sqrt(Call& call);
Error prepare_rsqrt(Call& call);
Error prepare_log1p(Call& call);
Error prepare_gelu(Call& call);
Error prepare_softmax(Call& call);
Error prepare_log_softmax(Call& call);

inline constexpr Operator aten_sigmoid_out = {"aten::sigmoid.out", 2, kCallBytes<Function>, prepare_sigmoid};
inline constexpr Operator aten_tanh_out = {"aten::tanh.out", 2, kCallBytes<Function>, prepare_tanh};
inline constexpr Operator aten_exp_out = {"aten::exp.out", 2, kCallBytes<Function>, prepare_exp};
inline constexpr Operator aten_log_out = {"aten::log.out", 2, kCallBytes<Function>, prepare_log};
inline constexpr Operator aten_sqrt_out = {"aten::sqrt.out", 2, kCallBytes<Function>, prepare_sqrt};
inline constexpr Operator aten_rsqrt_out = {"aten::rsqrt.out", 2, kCallBytes<Function>, prepare_rsqrt};
inline constexpr Operator aten_log1p_out = {"aten::log1p.out", 2, kCallBytes<Function>, prepare_log1p};
inline constexpr Operator aten_gelu_out = {"aten::gelu.out", 3, kCallBytes<Function>, prepare_gelu};
inline constexpr Operator aten__softmax_out = {"aten::_softmax.out", 4, kCallBytes<Softmax>, prepare_softmax};
inline constexpr Operator aten__log_softmax_out = {"aten::_log_softmax.out", 4, kCallBytes<Softmax>, prepare_log_softmax};

}  // namespace kindling::upstream
