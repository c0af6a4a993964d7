// aten operators on each element of one or two float tensors. A quotient is a quotient, as in upstream's portable kernels; its
// optimised ones multiply by the reciprocal where the divisor is one number.
#pragma once

#include "runtime/upstream/loops.h"
#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// y = f(x; a, b)
struct Unary : Step {
  const float* x;
  float* y;
  float a, b;
  Loops<2> loops;  // y, x
};

/// z = f(x, y; factor); without an array for y, y is `other`.
struct Binary : Step {
  const float* x;
  const float* y;
  float* z;
  float factor, other;
  Loops<3> loops;  // z, x, y
};

/// y = f(x, other), a truth as a byte; x are floats, or truths.
struct Comparison : Step {
  const void* x;
  uint8_t* y;
  float other;
  Loops<2> loops;  // y, x
};

/// z = x where a truth holds, else y.
struct Where : Step {
  const uint8_t* truth;
  const float *x, *y;
  float* z;
  Loops<4> loops;  // z, truth, x, y
};

Error prepare_relu(Call& call);
Error prepare_hardtanh(Call& call);
Error prepare_clamp(Call& call);
Error prepare_neg(Call& call);
Error prepare_abs(Call& call);
Error prepare_leaky_relu(Call& call);
Error prepare_reciprocal(Call& call);

inline constexpr Operator aten_relu_out = {"aten::relu.out", 2, kCallBytes<Unary>, prepare_relu};
inline constexpr Operator aten_hardtanh_out = {"aten::hardtanh.out", 4, kCallBytes<Unary>, prepare_hardtanh};
inline constexpr Operator aten_clamp_out = {"aten::clamp.out", 4, kCallBytes<Unary>, prepare_clamp};
inline constexpr Operator aten_neg_out = {"aten::neg.out", 2, kCallBytes<Unary>, prepare_neg};
inline constexpr Operator aten_abs_out = {"aten::abs.out", 2, kCallBytes<Unary>, prepare_abs};
inline constexpr Operator aten_leaky_relu_out = {"aten::leaky_relu.out", 3, kCallBytes<Unary>, prepare_leaky_relu};
inline constexpr Operator aten_reciprocal_out = {"aten::reciprocal.out", 2, kCallBytes<Unary>, prepare_reciprocal};

Error prepare_add(Call& call);
Error prepare_sub(Call& call);
Error prepare_mul(Call& call);
Error prepare_div(Call& call);
Error prepare_minimum(Call& call);
Error prepare_maximum(Call& call);

inline constexpr Operator aten_add_out = {"aten::add.out", 4, kCallBytes<Binary>, prepare_add};
inline constexpr Operator aten_sub_out = {"aten::sub.out", 4, kCallBytes<Binary>, prepare_sub};
inline constexpr Operator aten_mul_out = {"aten::mul.out", 3, kCallBytes<Binary>, prepare_mul};
inline constexpr Operator aten_div_out = {"aten::div.out", 3, kCallBytes<Binary>, prepare_div};
inline constexpr Operator aten_minimum_out = {"aten::minimum.out", 3, kCallBytes<Binary>, prepare_minimum};
inline constexpr Operator aten_maximum_out = {"aten::maximum.out", 3, kCallBytes<Binary>, prepare_maximum};

Error prepare_add_scalar(Call& call);
Error prepare_sub_scalar(Call& call);
Error prepare_mul_scalar(Call& call);
Error prepare_div_scalar(Call& call);

inline constexpr Operator aten_add_Scalar_out = {"aten::add.Scalar_out", 4, kCallBytes<Binary>, prepare_add_scalar};
inline constexpr Operator aten_sub_Scalar_out = {"aten::sub.Scalar_out", 4, kCallBytes<Binary>, prepare_sub_scalar};
inline constexpr Operator aten_mul_Scalar_out = {"aten::mul.Scalar_out", 3, kCallBytes<Binary>, prepare_mul_scalar};
inline constexpr Operator aten_div_Scalar_out = {"aten::div.Scalar_out", 3, kCallBytes<Binary>, prepare_div_scalar};


Error prepare_gt_scalar(Call& call);
Error prepare_ge_scalar(Call& call);
Error prepare_lt_scalar(Call& call);
Error prepare_le_scalar(Call& call);
Error prepare_eq_scalar(Call& call);
Error prepare_logical_not(Call& call);
Error prepare_where(Call& call);

inline constexpr Operator aten_gt_Scalar_out = {"aten::gt.Scalar_out", 3, kCallBytes<Comparison>, prepare_gt_scalar};
inline constexpr Operator aten_ge_Scalar_out = {"aten::ge.Scalar_out", 3, kCallBytes<Comparison>, prepare_ge_scalar};
inline constexpr Operator aten_lt_Scalar_out = {"aten::lt.Scalar_out", 3, kCallBytes<Comparison>, prepare_lt_scalar};
inline constexpr Operator aten_le_Scalar_out = {"aten::le.Scalar_out", 3, kCallBytes<Comparison>, prepare_le_scalar};
inline constexpr Operator aten_eq_Scalar_out = {"aten::eq.Scalar_out", 3, kCallBytes<Comparison>, prepare_eq_scalar};
inline constexpr Operator aten_logical_not_out = {"aten::logical_not.out", 2, kCallBytes<Comparison>, prepare_logical_not};
inline constexpr Operator aten_where_self_out = {"aten::where.self_out", 4, kCallBytes<Where>, prepare_where};

}  // namespace kindling::upstream
