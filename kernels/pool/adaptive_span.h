// Where the windows of an adaptive pool lie along one axis, and what checks of such pools have in common.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/span.h"

namespace kindling {

/// Window `index` of `outputs` over `inputs` elements, see kernels/adaptive_windows.py.
inline Span adaptive_span(std::uint32_t index, std::uint32_t inputs, std::uint32_t outputs) {
  const std::uint32_t first = index * inputs / outputs, end = ((index + 1) * inputs + outputs - 1) / outputs;
  Span span;  // filled as in span_inside
  span.before = 0, span.first = static_cast<std::int32_t>(first), span.count = static_cast<std::int32_t>(end - first), span.after = 0;
  return span;
}

/// Calls pool(image, rows, columns) for each output pixel in order; the image's pixels are `channels` elements each.
template <class Element, class Params, class Pool>
inline void for_each_adaptive_window(const Element* image, const Params& params, Pool pool) {
  for (std::uint32_t left = params.batches; left > 0; --left) {
    for (std::uint32_t row = 0; row < params.output_height; ++row) {
      const Span rows = adaptive_span(row, params.input_height, params.output_height);
      for (std::uint32_t column = 0; column < params.output_width; ++column) {
        pool(image, rows, adaptive_span(column, params.input_width, params.output_width));
      }
    }
    image += params.input_height * params.input_width * params.channels;
  }
}

/// Whether sizes are possible, sums of int8 have room in 32 bits, and the tensors have these many elements.
template <class Params>
bool is_adaptive_pool(const Params& params, std::uint32_t input_elements, std::uint32_t output_elements) {
  return are_small_sizes(&params.batches, &params.output_width) &&
         std::uint32_t{params.input_height} * params.input_width < 1u << 22 &&
         (Size(params.batches) * params.input_height * params.input_width * params.channels).is(input_elements) &&
         (Size(params.batches) * params.output_height * params.output_width * params.channels).is(output_elements);
}

}  // namespace kindling
