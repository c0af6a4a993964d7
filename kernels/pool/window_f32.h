// How pools of floats walk through their windows.
#pragma once

#include <cstdint>

#include "kernels/float_math.h"
#include "kernels/span.h"

namespace kindling {

/// Calls pool(rows, columns, row, column) for each window: its spans in the image, and where it starts.
template <class Params, class Pool>
inline void for_each_window(const Params& params, std::int32_t dilation_height, std::int32_t dilation_width, Pool pool) {
  for (std::int32_t row = 0; row < params.output_height; ++row) {
    const std::int32_t top = row * params.stride_height - params.pad_top;
    const Span rows = span_inside(top, params.kernel_height, dilation_height, params.input_height);
    for (std::int32_t column = 0; column < params.output_width; ++column) {
      const std::int32_t left = column * params.stride_width - params.pad_left;
      pool(rows, span_inside(left, params.kernel_width, dilation_width, params.input_width), top, left);
    }
  }
}

/// Combines the taps of a window, row by row: start = combine(start, tap). Steps are in elements.
template <class Combine>
inline float combine_taps(const float* first, std::int32_t rows, std::int32_t row_step, std::int32_t columns, std::int32_t column_step,
                          float start, Combine combine) {
  for (; rows > 0; --rows, first += row_step) {
    const float* tap = first;
    for (std::int32_t left = columns; left > 0; --left, tap += column_step) start = combine(start, *tap);
  }
  return start;
}

/// Writes the averages of all channels over a window of the image: of each its taps summed, over `count`. Returns where the outputs end.
template <class Params>
[[gnu::always_inline]] inline float* average_taps(const float* image, const Span& rows, const Span& columns, const Params& params,
                                                  std::int32_t count, float* output) {
  const std::int32_t channels = params.channels, row_step = params.input_width * channels;
  const float divisor = static_cast<float>(count);
  const float* first = image + rows.first * row_step + columns.first * channels;
  for (std::int32_t channel = channels; channel > 0; --channel, ++first) {
    const auto add = [](float sum, float tap) { return sum + tap; };
    const float sum = combine_taps(first, rows.count, row_step, columns.count, channels, 0.0f, add);
    *output++ = clamped(sum / divisor, params.activation_min, params.activation_max);
  }
  return output;
}

}  // namespace kindling
