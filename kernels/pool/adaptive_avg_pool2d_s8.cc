#include "kernels/pool/adaptive_span.h"
#include "kernels/pool/average_s8.h"
#include "kernels/pool/pool.h"

namespace kindling {

void adaptive_avg_pool2d_s8(const std::int8_t* input, const AdaptiveAvgPool2dParams& params, std::int8_t* output) {
  const std::int32_t channels = params.channels, row_bytes = params.input_width * channels;
  for_each_adaptive_window(input, params, [&](const std::int8_t* image, const Span& rows, const Span& columns) {
    const std::int8_t* first = image + rows.first * row_bytes + columns.first * channels;
    average_taps({first, rows.count, columns.count, row_bytes, channels}, params, 0, rows.count * columns.count, output);
    output += channels;
  });
}

Error check_adaptive_avg_pool2d_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AdaptiveAvgPool2dParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_adaptive_pool(*params, argument_bytes[0], argument_bytes[2]));
}

}  // namespace kindling
