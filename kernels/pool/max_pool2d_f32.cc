#include "kernels/float_math.h"
#include "kernels/pool/pool_check.h"
#include "kernels/pool/pool_f32.h"
#include "kernels/pool/window_f32.h"

namespace kindling {

void max_pool2d_f32(const float* input, const MaxPool2dF32Params& params, float* output) {
  const std::int32_t channels = params.channels, row_step = params.input_width * channels;
  const std::int32_t tap_row_step = params.dilation_height * row_step, tap_step = params.dilation_width * channels;
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for_each_window(params, params.dilation_height, params.dilation_width,
                    [&](const Span& rows, const Span& columns, std::int32_t, std::int32_t) {
                      const float* first = input + rows.first * row_step + columns.first * channels;
                      for (std::int32_t channel = channels; channel > 0; --channel, ++first) {
                        const float largest =
                            combine_taps(first, rows.count, tap_row_step, columns.count, tap_step, -kInfinity, greater);
                        *output++ = clamped(largest, params.activation_min, params.activation_max);
                      }
                    });
    input += params.input_height * row_step;
  }
}

Error check_max_pool2d_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<MaxPool2dF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_pool(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2])) &&
                  are_small_sizes(&params->dilation_height, &params->dilation_width));
}

}  // namespace kindling
