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

Error prepare_batch_norm(Call& call);

inline constexpr Operator aten__native_batch_norm_legit_no_training_out = {"aten::_native_batch_norm_legit_no_training.out", 10,
                                                                           kCallBytes<BatchNorm>, prepare_batch_norm};

}  // namespace kindling::upstream
