#include "kernels/pool/pool.h"
#include "kernels/pool/pool_check.h"
#include "kernels/requantise.h"
#include "kernels/span.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {
namespace {

/// Where a window's taps are: rows * columns of them, of which neighbours are these many bytes apart.
struct Taps {
  const std::int8_t* first;
  std::int32_t rows, columns, row_step, column_step;
};

#if KINDLING_MVE
void take_maximum(const Taps& taps, const MaxPool2dParams& params, std::int8_t* output) {
  const int8x16_t highest = vdupq_n_s8(params.activation_max);
  for (std::int32_t channel = 0; channel < params.channels; channel += 16) {
    const mve_pred16_t lanes = vctp8q(params.channels - channel);
    int8x16_t largest = vdupq_n_s8(params.activation_min);
    const std::int8_t* row = taps.first + channel;
    for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
      const std::int8_t* tap = row;
      for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) largest = vmaxq_s8(largest, vldrbq_z_s8(tap, lanes));
    }
    vstrbq_p_s8(output + channel, vminq_s8(largest, highest), lanes);
  }
}
#else
void take_maximum(const Taps& taps, const MaxPool2dParams& params, std::int8_t* output) {
  for (std::int32_t channel = 0; channel < params.channels; ++channel) {
    std::int32_t largest = params.activation_min;
    const std::int8_t* row = taps.first + channel;
    for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
      const std::int8_t* tap = row;
      for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) largest = *tap > largest ? *tap : largest;
    }
    output[channel] = static_cast<std::int8_t>(largest < params.activation_max ? largest : params.activation_max);
  }
}
#endif

}  // namespace

void max_pool2d_s8(const std::int8_t* input, const MaxPool2dParams& params, std::int8_t* output) {
  const std::int32_t channels = params.channels, row_bytes = params.input_width * channels;
  for (std::int32_t image = 0; image < params.batches; ++image) {
    for (std::int32_t row = 0; row < params.output_height; ++row) {
      const Span rows = span_inside(row * params.stride_height - params.pad_top, params.kernel_height, params.dilation_height,
                                    params.input_height);
      for (std::int32_t column = 0; column < params.output_width; ++column) {
        const Span columns = span_inside(column * params.stride_width - params.pad_left, params.kernel_width, params.dilation_width,
                                         params.input_width);
        const std::int8_t* first = input + rows.first * row_bytes + columns.first * channels;
        take_maximum({first, rows.count, columns.count, params.dilation_height * row_bytes, params.dilation_width * channels},
                     params, output);
        output += channels;
      }
    }
    input += params.input_height * row_bytes;
  }
}

Error check_max_pool2d_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<MaxPool2dParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && is_pool(*params, argument_bytes[0], argument_bytes[2]) &&
                  are_small_sizes(&params->dilation_height, &params->dilation_width));
}

}  // namespace kindling
