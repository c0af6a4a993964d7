#include "kernels/float_math.h"
#include "kernels/pool/counted.h"
#include "kernels/pool/pool_check.h"
#include "kernels/pool/pool_f32.h"
#include "kernels/pool/window_f32.h"

namespace kindling {

void avg_pool2d_f32(const float* input, const AvgPool2dF32Params& params, float* output) {
  const std::int32_t channels = params.channels, row_step = params.input_width * channels;
  const bool include_pad = params.count_include_pad;
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for_each_window(params, 1, 1, [&](const Span& rows, const Span& columns, std::int32_t top, std::int32_t left) {
      const std::int32_t count = counted(rows, include_pad, top, params.kernel_height, params.counted_height) *
                                 counted(columns, include_pad, left, params.kernel_width, params.counted_width);
      const float divisor = static_cast<float>(count);
      const float* first = input + rows.first * row_step + columns.first * channels;
      for (std::int32_t channel = channels; channel > 0; --channel, ++first) {
        const auto add = [](float sum, float tap) { return sum + tap; };
        const float sum = combine_taps(first, rows.count, row_step, columns.count, channels, 0.0f, add);
        *output++ = clamped(sum / divisor, params.activation_min, params.activation_max);
      }
    });
    input += params.input_height * row_step;
  }
}

Error check_avg_pool2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AvgPool2dF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_pool(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2])) &&
                  every_window_counts(*params));
}

}  // namespace kindling
