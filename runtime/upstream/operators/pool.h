// aten pools of float images.
#pragma once

#include "runtime/upstream/operator.h"
#include "runtime/upstream/window.h"

namespace kindling::upstream {

/// Taps row by row, as in upstream's portable kernels.
struct Pool : Step {
  const float* x;
  float* y;
  int64_t* indices;  // where the largest came from, counted in the channel; null for averages
  Windows windows;
  int32_t divisor;  // of averages; 0: the taps, inside the image or, if `counts_padding`, inside its padding
  bool counts_padding;
};

Error prepare_max_pool2d(Call& call);
Error prepare_avg_pool2d(Call& call);

inline constexpr Operator aten_max_pool2d_with_indices_out = {"aten::max_pool2d_with_indices.out", 8, kCallBytes<Pool>,
                                                              prepare_max_pool2d};
inline constexpr Operator aten_avg_pool2d_out = {"aten::avg_pool2d.out", 8, kCallBytes<Pool>, prepare_avg_pool2d};

}  // namespace kindling::upstream
