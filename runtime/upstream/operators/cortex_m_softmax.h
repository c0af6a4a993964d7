// cortex_m::softmax of int8 tensors.
#pragma once

#include "kernels/softmax/softmax.h"
#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// Over the last dimension: softmax_s8, which has the bits of CMSIS-NN.
struct QuantizedSoftmax : Step {
  const int8_t* x;
  int8_t* y;
  SoftmaxParams params;
};

Error prepare_quantized_softmax(Call& call);

inline constexpr Operator cortex_m_softmax_out = {"cortex_m::softmax.out", 8, kCallBytes<QuantizedSoftmax>, prepare_quantized_softmax};

}  // namespace kindling::upstream
