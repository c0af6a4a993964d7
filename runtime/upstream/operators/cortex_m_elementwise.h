// cortex_m operators on each element of int8 tensors.
#pragma once

#include "runtime/upstream/loops.h"
#include "runtime/upstream/operator.h"
#include "runtime/upstream/operators/cortex_m_arithmetic.h"

namespace kindling::upstream {

/// A sum of two scaled operands, or their scaled product.
struct QuantizedBinary : Step {
  const int8_t *x, *y;
  int8_t* z;
  int32_t x_zero_point, y_zero_point;
  Factor x_factor, y_factor, factor;
  Rail rail;
  Loops<3> loops;  // z, x, y
};

struct QuantizedExtreme : Step {
  const int8_t *x, *y;
  int8_t* z;
  Loops<3> loops;  // z, x, y
};

struct QuantizedActivation : Step {
  const int8_t *x, *table;
  int8_t* y;
  Loops<2> loops;  // y, x
};

/// Between floats and int8.
struct Conversion : Step {
  const void* x;
  void* y;
  float scale;  // its reciprocal from floats
  Rail rail;
  Loops<2> loops;  // y, x
};

Error prepare_quantized_add(Call& call);
Error prepare_quantized_mul(Call& call);
Error prepare_quantized_minimum(Call& call);
Error prepare_quantized_maximum(Call& call);
Error prepare_quantized_activation(Call& call);
Error prepare_quantize(Call& call);
Error prepare_dequantize(Call& call);

inline constexpr Operator cortex_m_quantized_add_out = {"cortex_m::quantized_add.out", 14, kCallBytes<QuantizedBinary>,
                                                        prepare_quantized_add};
inline constexpr Operator cortex_m_quantized_mul_out = {"cortex_m::quantized_mul.out", 8, kCallBytes<QuantizedBinary>,
                                                        prepare_quantized_mul};
inline constexpr Operator cortex_m_minimum_out = {"cortex_m::minimum.out", 3, kCallBytes<QuantizedExtreme>, prepare_quantized_minimum};
inline constexpr Operator cortex_m_maximum_out = {"cortex_m::maximum.out", 3, kCallBytes<QuantizedExtreme>, prepare_quantized_maximum};
inline constexpr Operator cortex_m_quantized_activation_out = {"cortex_m::quantized_activation.out", 3, kCallBytes<QuantizedActivation>,
                                                               prepare_quantized_activation};
inline constexpr Operator cortex_m_quantize_per_tensor_out = {"cortex_m::quantize_per_tensor.out", 7, kCallBytes<Conversion>,
                                                              prepare_quantize};
inline constexpr Operator cortex_m_dequantize_per_tensor_out = {"cortex_m::dequantize_per_tensor.out", 7, kCallBytes<Conversion>,
                                                                prepare_dequantize};

}  // namespace kindling::upstream
