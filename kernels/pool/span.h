// What the pools have in common.
#pragma once

#include <cstdint>

#include "kernels/check.h"

namespace kindling {

/// The taps of a window along one axis that lie inside the image: `count` of them from position `first` on.
struct Span {
  std::int32_t first, count;
};

/// The span of a window of `kernel` taps, `dilation` apart, of which the first is at `start`, in an image of `size`.
inline Span inside(std::int32_t start, std::int32_t kernel, std::int32_t dilation, std::int32_t size) {
  while (kernel > 0 && start < 0) {
    start += dilation;
    --kernel;
  }
  while (kernel > 0 && start + (kernel - 1) * dilation >= size) --kernel;
  return {start, kernel};
}

/// Whether the sizes and strides of a pool are possible and its tensors have these many bytes.
template <class Params>
bool is_pool(const Params& params, std::uint32_t input_bytes, std::uint32_t output_bytes) {
  return all_positive(params.batches, params.input_height, params.input_width, params.channels, params.output_height,
                      params.output_width, params.kernel_height, params.kernel_width, params.stride_height, params.stride_width) &&
         (Size(params.batches) * params.input_height * params.input_width * params.channels).is(input_bytes) &&
         (Size(params.batches) * params.output_height * params.output_width * params.channels).is(output_bytes);
}

}  // namespace kindling
