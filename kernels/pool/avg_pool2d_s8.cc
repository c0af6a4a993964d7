#include "kernels/pool/average_s8.h"
#include "kernels/pool/counted.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_check.h"
#include "kernels/span.h"

namespace kindling {
namespace {

/// Averages of all channels of the window that starts at (top, left), which may lie in the padding.
void average(const AvgPool2dParams& params, const std::int8_t* image, std::int32_t top, std::int32_t left, std::int8_t* output) {
  const std::int32_t channels = params.channels, row_bytes = params.input_width * channels;
  const Span rows = span_inside(top, params.kernel_height, 1, params.input_height);
  const Span columns = span_inside(left, params.kernel_width, 1, params.input_width);
  const bool include_pad = params.count_include_pad;
  const std::int32_t count = counted(rows, include_pad, top, params.kernel_height, params.counted_height) *
                             counted(columns, include_pad, left, params.kernel_width, params.counted_width);
  const std::int32_t padding = (count - rows.count * columns.count) * params.zero_point;
  const Taps taps = {image + rows.first * row_bytes + columns.first * channels, rows.count, columns.count, row_bytes, channels};
  average_taps(taps, params, padding, count, output);
}

}  // namespace

void avg_pool2d_s8(const std::int8_t* input, const AvgPool2dParams& params, std::int8_t* output) {
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for (std::int32_t row = 0; row < params.output_height; ++row) {
      for (std::int32_t column = 0; column < params.output_width; ++column) {
        average(params, input, row * params.stride_height - params.pad_top, column * params.stride_width - params.pad_left, output);
        output += params.channels;
      }
    }
    input += params.input_height * params.input_width * params.channels;
  }
}

Error check_avg_pool2d_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AvgPool2dParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_pool(*params, argument_bytes[0], argument_bytes[2]) && every_window_counts(*params));
}

}  // namespace kindling
