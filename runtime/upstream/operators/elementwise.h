// aten operators on each element of one or two float tensors.
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

}  // namespace kindling::upstream
