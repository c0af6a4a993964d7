// aten normalisations of float tensors.
#pragma once

#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// (x - mean) * (1 / sqrt(variance + epsilon)) * weight + bias by channel, in this order, the root in double precision.
struct BatchNorm : Step {
  const float* x;
  float* y;
  const float *weight, *bias;  // null: 1, 0
  const float *mean, *variance;
  uint32_t outer, channels, inner;
  [[gnu::packed, gnu::aligned(4)]] double epsilon;  // no pointer needs more alignment
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last `depth` elements, the variance being the mean of squares less
/// the square of the mean, as upstream's portable kernel has it.
struct LayerNorm : Step {
  const float* x;
  float* y;
  const float *weight, *bias;  // null: 1, 0
  uint32_t rows, depth;
  float epsilon;
};

Error prepare_batch_norm(Call& call);
Error prepare_layer_norm(Call& call);

inline constexpr Operator aten__native_batch_norm_legit_no_training_out = {"aten::_native_batch_norm_legit_no_training.out", 10,
                                                                           kCallBytes<BatchNorm>, prepare_batch_norm};
inline constexpr Operator aten_native_layer_norm_out = {"aten::native_layer_norm.out", 8, kCallBytes<LayerNorm>, prepare_layer_norm};

}  // namespace kindling::upstream
