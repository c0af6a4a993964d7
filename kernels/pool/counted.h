// How many taps an average pool divides by.
#pragma once

#include <cstdint>

#include "kernels/span.h"

namespace kindling {

/// Taps that count along one axis: those inside the image, with `include_pad` also those in the padding.
inline std::int32_t counted(const Span& span, bool include_pad, std::int32_t start, std::int32_t kernel, std::int32_t counted_size) {
  if (!include_pad) return span.count;
  return start + kernel < counted_size ? kernel : counted_size - start;
}

/// Whether every window of a pool holds a tap that counts, and no more than sums of int8 have room for in 32 bits.
template <class Params>
bool every_window_counts(const Params& params) {
  const auto last_start = [](std::uint32_t outputs, std::uint32_t stride, std::uint32_t pad) {
    return static_cast<std::int32_t>((outputs - 1) * stride) - static_cast<std::int32_t>(pad);
  };
  return std::uint32_t{params.kernel_height} * params.kernel_width < 1u << 22 &&
         params.counted_height >= params.input_height && params.counted_width >= params.input_width &&
         params.pad_top < params.kernel_height && params.pad_left < params.kernel_width &&
         last_start(params.output_height, params.stride_height, params.pad_top) < params.input_height &&
         last_start(params.output_width, params.stride_width, params.pad_left) < params.input_width;
}

}  // namespace kindling
