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

/// Taps that count along one axis: those inside the image, with `include_pad` also those in the padding.
std::int32_t counted(const Span& span, bool include_pad, std::int32_t start, std::int32_t kernel, std::int32_t counted_size) {
  if (!include_pad) return span.count;
  return start + kernel < counted_size ? kernel : counted_size - start;
}

#if KINDLING_MVE
constexpr std::int32_t kLanes = 4;

/// Adds a window's taps of four channels, or of the fewer that are left.
void add_taps(const std::int8_t* taps, std::int32_t rows, std::int32_t columns, std::int32_t row_bytes, std::int32_t pixel_bytes,
              std::int32_t channels_left, std::int32_t (&sums)[kLanes]) {
  const mve_pred16_t lanes = vctp32q(channels_left);
  int32x4_t sum = vldrwq_s32(sums);
  for (; rows > 0; --rows, taps += row_bytes) {
    const std::int8_t* tap = taps;
    for (std::int32_t x = columns; x > 0; --x, tap += pixel_bytes) sum = vaddq_s32(sum, vldrbq_z_s32(tap, lanes));
  }
  vstrwq_s32(sums, sum);
}
#else
constexpr std::int32_t kLanes = 1;

void add_taps(const std::int8_t* taps, std::int32_t rows, std::int32_t columns, std::int32_t row_bytes, std::int32_t pixel_bytes,
              std::int32_t, std::int32_t (&sums)[kLanes]) {
  std::int32_t sum = sums[0];
  for (; rows > 0; --rows, taps += row_bytes) {
    const std::int8_t* tap = taps;
    for (std::int32_t x = columns; x > 0; --x, tap += pixel_bytes) sum += *tap;
  }
  sums[0] = sum;
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
  const std::int8_t* taps = image + rows.first * row_bytes + columns.first * channels;
  for (std::int32_t channel = 0; channel < channels; channel += kLanes) {
    std::int32_t sums[kLanes];
    for (std::int32_t& sum : sums) sum = padding;
    add_taps(taps + channel, rows.count, columns.count, row_bytes, channels, channels - channel, sums);
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
  if (params == nullptr || !is_pool(*params, argument_bytes[0], argument_bytes[2])) return Error::InvalidArgument;
  // Each window must hold a tap that counts: its size is divided by.
  const auto last_start = [](std::uint32_t outputs, std::uint32_t stride, std::uint32_t pad) {
    return static_cast<std::int32_t>((outputs - 1) * stride) - static_cast<std::int32_t>(pad);
  };
  return valid_if(params->counted_height >= params->input_height && params->counted_width >= params->input_width &&
                  params->pad_top < params->kernel_height && params->pad_left < params->kernel_width &&
                  last_start(params->output_height, params->stride_height, params->pad_top) < params->input_height &&
                  last_start(params->output_width, params->stride_width, params->pad_left) < params->input_width);
}

}  // namespace kindling
