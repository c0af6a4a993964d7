// cortex_m products of int8 matrices.
#pragma once

#include "runtime/upstream/operator.h"
#include "runtime/upstream/operators/cortex_m_arithmetic.h"

namespace kindling::upstream {

/// y[n][i][j] = sum over k of (a[n][i][k] + a_offset) * (b[n][j][k] + b_offset), plus bias[j].
struct QuantizedProduct : Step {
  const int8_t *a, *b;
  const int32_t* bias;  // null: none
  int8_t* y;
  uint32_t batches, rows, columns, depth;
  int32_t a_offset, b_offset;
  uint32_t b_batch_bytes;  // from one batch to the next
  Factor factor;
  Rail rail;
};

Error prepare_quantized_linear(Call& call);
Error prepare_quantized_batch_matmul(Call& call);

inline constexpr Operator cortex_m_quantized_linear_out = {"cortex_m::quantized_linear.out", 12, kCallBytes<QuantizedProduct>,
                                                           prepare_quantized_linear};
inline constexpr Operator cortex_m_quantized_batch_matmul_out = {"cortex_m::quantized_batch_matmul.out", 9, kCallBytes<QuantizedProduct>,
                                                                 prepare_quantized_batch_matmul};

}  // namespace kindling::upstream
