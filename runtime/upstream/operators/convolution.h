// aten::convolution of float images, and of rows.
#pragma once

#include "runtime/upstream/operator.h"
#include "runtime/upstream/window.h"

namespace kindling::upstream {

/// Sums go over input channels, then rows, then columns of the kernel, then comes the bias, as in upstream's portable kernel. A
/// transposed convolution starts from the bias, and adds what each input position gives, in the order of positions and channels.
struct Convolution : Step {
  const float* x;
  const float* weights;
  const float* bias;  // null: none
  float* y;
  ConvolutionShape shape;
};

Error prepare_convolution(Call& call);

inline constexpr Operator aten_convolution_out = {"aten::convolution.out", 10, kCallBytes<Convolution>, prepare_convolution};

}  // namespace kindling::upstream
