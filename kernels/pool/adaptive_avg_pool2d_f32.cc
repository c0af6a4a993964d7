#include "kernels/float_math.h"
#include "kernels/pool/adaptive_span.h"
#include "kernels/pool/pool_f32.h"
#include "kernels/pool/window_f32.h"

namespace kindling {

void adaptive_avg_pool2d_f32(const float* input, const AdaptiveAvgPool2dF32Params& params, float* output) {
  for_each_adaptive_window(input, params, [&](const float* image, const Span& rows, const Span& columns) {
    output = average_taps(image, rows, columns, params, rows.count * columns.count, output);
  });
}

Error check_adaptive_avg_pool2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AdaptiveAvgPool2dF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_adaptive_pool(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2])));
}

}  // namespace kindling
