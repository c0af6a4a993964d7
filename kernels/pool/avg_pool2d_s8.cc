#include "kernels/pool/counted.h"
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

/// Sum over count, rounded half away from zero.
std::int32_t rounded_quotient(std::int32_t sum, std::int32_t count) {
  const std::int32_t half = count / 2;
  return (sum > 0 ? sum + half : sum - half) / count;
}

/// Where a window's taps are: `rows` times `columns` of them, of which neighbours are these many bytes apart.
struct Taps {
  const std::int8_t* first;
  std::int32_t rows, columns, row_step, column_step;
};

constexpr std::int32_t kLanes = 4;  // channels at a time

/// Adds the taps of four channels, or of the fewer that are left.
#if KINDLING_MVE
void add_taps(const Taps& taps, std::int32_t channels_left, std::int32_t (&sums)[kLanes]) {
  const mve_pred16_t lanes = vctp32q(channels_left);
  int32x4_t sum = vldrwq_s32(sums);
  const std::int8_t* row = taps.first;
  for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
    const std::int8_t* tap = row;
    for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) sum = vaddq_s32(sum, vldrbq_z_s32(tap, lanes));
  }
  vstrwq_s32(sums, sum);
}
#else
void add_taps(const Taps& taps, std::int32_t channels_left, std::int32_t (&sums)[kLanes]) {
  std::int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  // Where there are fewer channels, the first stands in for the others.
  const std::int32_t at1 = channels_left > 1 ? 1 : 0, at2 = channels_left > 2 ? 2 : 0, at3 = channels_left > 3 ? 3 : 0;
  const std::int8_t* row = taps.first;
  for (std::int32_t y = taps.rows; y > 0; --y, row += taps.row_step) {
    const std::int8_t* tap = row;
    for (std::int32_t x = taps.columns; x > 0; --x, tap += taps.column_step) {
      sum0 += tap[0], sum1 += tap[at1], sum2 += tap[at2], sum3 += tap[at3];
    }
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}
#endif

/// Averages of all channels of the window that starts at (top, left), which may lie in the padding.
void average(const AvgPool2dParams& params, const std::int8_t* image, std::int32_t top, std::int32_t left, std::int8_t* output) {
  const std::int32_t channels = params.channels, row_bytes = params.input_width * channels;
  const Span rows = span_inside(top, params.kernel_height, 1, params.input_height);
  const Span columns = span_inside(left, params.kernel_width, 1, params.input_width);
  const bool include_pad = params.count_include_pad;
  const std::int32_t count = counted(rows, include_pad, top, params.kernel_height, params.counted_height) *
                             counted(columns, include_pad, left, params.kernel_width, params.counted_width);
  const std::int32_t padding = (count - rows.count * columns.count) * params.zero_point;
  Taps taps = {image + rows.first * row_bytes + columns.first * channels, rows.count, columns.count, row_bytes, channels};
  if (taps.columns == params.input_width) {  // one row, as it were
    taps.columns *= taps.rows;
    taps.rows = 1;
  }
  for (std::int32_t channel = 0; channel < channels; channel += kLanes, taps.first += kLanes) {
    std::int32_t sums[kLanes] = {padding, padding, padding, padding};
    add_taps(taps, channels - channel, sums);
    for (std::int32_t i = 0; i < kLanes && channel + i < channels; ++i) {
      *output++ = clamp(rounded_quotient(sums[i], count), params.activation_min, params.activation_max);
    }
  }
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
