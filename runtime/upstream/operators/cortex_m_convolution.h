// cortex_m convolutions of int8 images.
#pragma once

#include "runtime/upstream/operator.h"
#include "runtime/upstream/operators/cortex_m_arithmetic.h"
#include "runtime/upstream/window.h"

namespace kindling::upstream {

/// Sums of (x + x_offset) * weight and a bias, with a factor for each channel that comes out.
struct QuantizedConvolution : Step {
  const int8_t *x, *weights;
  const int32_t* bias;  // null: none
  const int32_t *multipliers, *shifts;
  int8_t* y;
  int32_t x_offset;
  Rail rail;
  ConvolutionShape shape;
};

// Images are of channels, rows and columns, whatever their order in memory; of the operators of "nhwc", of rows, columns and channels.
Error prepare_quantized_conv2d(Call& call);
Error prepare_quantized_conv2d_nhwc(Call& call);
Error prepare_quantized_depthwise_conv2d(Call& call);
Error prepare_quantized_depthwise_conv2d_nhwc(Call& call);
Error prepare_quantized_transpose_conv2d(Call& call);
Error prepare_quantized_transpose_conv2d_nhwc(Call& call);

inline constexpr Operator cortex_m_quantized_conv2d_out = {"cortex_m::quantized_conv2d.out", 14, kCallBytes<QuantizedConvolution>,
                                                           prepare_quantized_conv2d};
inline constexpr Operator cortex_m_quantized_conv2d_nhwc_out = {"cortex_m::quantized_conv2d_nhwc.out", 14,
                                                                kCallBytes<QuantizedConvolution>, prepare_quantized_conv2d_nhwc};
inline constexpr Operator cortex_m_quantized_depthwise_conv2d_out = {
    "cortex_m::quantized_depthwise_conv2d.out", 15, kCallBytes<QuantizedConvolution>, prepare_quantized_depthwise_conv2d};
inline constexpr Operator cortex_m_quantized_depthwise_conv2d_nhwc_out = {
    "cortex_m::quantized_depthwise_conv2d_nhwc.out", 15, kCallBytes<QuantizedConvolution>, prepare_quantized_depthwise_conv2d_nhwc};
inline constexpr Operator cortex_m_quantized_transpose_conv2d_out = {
    "cortex_m::quantized_transpose_conv2d.out", 16, kCallBytes<QuantizedConvolution>, prepare_quantized_transpose_conv2d};
inline constexpr Operator cortex_m_quantized_transpose_conv2d_nhwc_out = {
    "cortex_m::quantized_transpose_conv2d_nhwc.out", 16, kCallBytes<QuantizedConvolution>, prepare_quantized_transpose_conv2d_nhwc};

}  // namespace kindling::upstream
