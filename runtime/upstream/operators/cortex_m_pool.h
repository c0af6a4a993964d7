// cortex_m pools of int8 images.
#pragma once

#include "runtime/upstream/operator.h"
#include "runtime/upstream/operators/cortex_m_arithmetic.h"
#include "runtime/upstream/window.h"

namespace kindling::upstream {

/// Averages are of the taps inside the image, rounded half away from zero.
struct QuantizedPool : Step {
  const int8_t* x;
  int8_t* y;
  Rail rail;
  Windows windows;
};

// Images are as those of convolutions.
Error prepare_quantized_avg_pool2d(Call& call);
Error prepare_quantized_avg_pool2d_nhwc(Call& call);
Error prepare_quantized_max_pool2d(Call& call);
Error prepare_quantized_max_pool2d_nhwc(Call& call);

inline constexpr Operator cortex_m_quantized_avg_pool2d_out = {"cortex_m::quantized_avg_pool2d.out", 10, kCallBytes<QuantizedPool>,
                                                               prepare_quantized_avg_pool2d};
inline constexpr Operator cortex_m_quantized_avg_pool2d_nhwc_out = {"cortex_m::quantized_avg_pool2d_nhwc.out", 10,
                                                                    kCallBytes<QuantizedPool>, prepare_quantized_avg_pool2d_nhwc};
inline constexpr Operator cortex_m_quantized_max_pool2d_out = {"cortex_m::quantized_max_pool2d.out", 11, kCallBytes<QuantizedPool>,
                                                               prepare_quantized_max_pool2d};
inline constexpr Operator cortex_m_quantized_max_pool2d_nhwc_out = {"cortex_m::quantized_max_pool2d_nhwc.out", 11,
                                                                    kCallBytes<QuantizedPool>, prepare_quantized_max_pool2d_nhwc};

}  // namespace kindling::upstream
