// aten products of float matrices.
#pragma once

#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// out[n][i][j] = sum over k of a[n][i][k] * b[n][k][j], each sum from k = 0 on, as upstream's portable kernels have it; times
/// `alpha`, plus `bias[i][j]` times `beta`, if there is a bias.
struct MatrixProduct : Step {
  const float* a;
  const float* b;
  const float* bias;
  float* out;
  uint32_t batches, rows, columns, depth;
  uint32_t a_strides[3], b_strides[3], bias_strides[2];
  float alpha, beta;
};

Error prepare_addmm(Call& call);
Error prepare_mm(Call& call);
Error prepare_bmm(Call& call);
Error prepare_linear(Call& call);

inline constexpr Operator aten_addmm_out = {"aten::addmm.out", 6, kCallBytes<MatrixProduct>, prepare_addmm};
inline constexpr Operator aten_mm_out = {"aten::mm.out", 3, kCallBytes<MatrixProduct>, prepare_mm};
inline constexpr Operator aten_bmm_out = {"aten::bmm.out", 3, kCallBytes<MatrixProduct>, prepare_bmm};
inline constexpr Operator aten_linear_out = {"aten::linear.out", 4, kCallBytes<MatrixProduct>, prepare_linear};

}  // namespace kindling::upstream
