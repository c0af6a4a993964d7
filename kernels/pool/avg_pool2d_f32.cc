#include "kernels/pool/counted.h"
#include "kernels/pool/pool_check.h"
#include "kernels/pool/pool_f32.h"
#include "kernels/pool/window_f32.h"

namespace kindling {

void avg_pool2d_f32(const float* input, const AvgPool2dF32Params& params, float* output) {
  const bool include_pad = params.count_include_pad;
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for_each_window(params, 1, 1, [&](const Span& rows, const Span& columns, std::int32_t top, std::int32_t left) {
      const std::int32_t count = counted(rows, include_pad, top, params.kernel_height, params.counted_height) *
                                 counted(columns, include_pad, left, params.kernel_width, params.counted_width);
      output = average_taps(input, rows, columns, params, count, output);
    });
    input += params.input_height * params.input_width * params.channels;
  }
}

Error check_avg_pool2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AvgPool2dF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_pool(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2])) &&
                  every_window_counts(*params));
}

}  // namespace kindling
