#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include "kernels/check.h"
#include "kernels/depthwise_conv2d/record.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/depthwise_conv2d/sixteen_channels.h"
#include "kernels/requantise.h"
#include "kernels/span.h"

namespace kindling {
namespace {

/// The taps of one output pixel. `corner` is where the first tap inside the image reads channel 0.
struct Taps {
  Span rows, columns;
  const std::int8_t* corner;
};

#if KINDLING_MVE
/// (first + lane) / multiplier for each lane.
uint8x16_t input_channels_of(std::int32_t first, std::int32_t multiplier) {
  std::uint8_t channels[16];
  for (std::int32_t lane = 0; lane < 16; ++lane) channels[lane] = static_cast<std::uint8_t>((first + lane) / multiplier);
  return vldrbq_u8(channels);
}

/// Sixteen channels at a time. Output channel o reads input channel o / depth_multiplier.
void compute_pixel(const DilatedDepthwiseParams& params, const Taps& taps, std::int8_t* output) {
  const std::int32_t multiplier = params.depth_multiplier, channels = params.input_channels * multiplier;
  const std::int32_t row_step = params.dilation_height * params.input_width * params.input_channels;
  const std::int32_t column_step = params.dilation_width * params.input_channels, kernel_width = params.kernel_width;
  const std::uint8_t* records = params.channels();
  const int8x16_t outside = vdupq_n_s8(params.input_zero_point);
  for (std::int32_t first = 0; first < channels; first += 16) {
    const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
    const std::int8_t* weights = record.weights;
    const mve_pred16_t lanes = vctp8q(channels - first);
    const uint8x16_t offsets = multiplier == 1 ? vidupq_n_u8(0, 1) : input_channels_of(first % multiplier, multiplier);
    SixteenSums sums(record);
    const auto add_outside = [&](std::int32_t count) {
      for (; count > 0; --count, weights += 16) sums.add(outside, vldrbq_s8(weights));
    };
    add_outside(taps.rows.before * kernel_width);
    const std::int8_t* row = taps.corner + first / multiplier;
    for (std::int32_t y = taps.rows.count; y > 0; --y, row += row_step) {
      add_outside(taps.columns.before);
      const std::int8_t* input = row;
      for (std::int32_t x = taps.columns.count; x > 0; --x, input += column_step, weights += 16) {
        sums.add(vldrbq_gather_offset_z_s8(input, offsets, lanes), vldrbq_s8(weights));
      }
      add_outside(taps.columns.after);
    }
    add_outside(taps.rows.after * kernel_width);
    vstrbq_p_s8(output + first, sums.outputs(record, params.output_zero_point), lanes);
    records += depthwise_record_bytes(params.kernel_height * kernel_width);
  }
}
#else
void compute_pixel(const DilatedDepthwiseParams& params, const Taps& taps, std::int8_t* output) {
  const std::int32_t row_step = params.dilation_height * params.input_width * params.input_channels;
  const std::int32_t column_step = params.dilation_width * params.input_channels, kernel_width = params.kernel_width;
  const std::uint32_t record_stride = depthwise_record_bytes(params.kernel_height * kernel_width);
  const std::uint8_t* records = params.channels();
  for (std::int32_t channel = 0; channel < params.input_channels; ++channel) {
    for (std::int32_t i = params.depth_multiplier; i > 0; --i, records += record_stride) {
      const SingleRecord& record = *reinterpret_cast<const SingleRecord*>(records);
      const std::int8_t* weights = record.weights;
      std::int32_t sum = record.bias, outside = 0;
      const auto add_outside = [&](std::int32_t count) {
        for (; count > 0; --count) outside += *weights++;
      };
      add_outside(taps.rows.before * kernel_width);
      const std::int8_t* row = taps.corner + channel;
      for (std::int32_t y = taps.rows.count; y > 0; --y, row += row_step) {
        add_outside(taps.columns.before);
        const std::int8_t* input = row;
        for (std::int32_t x = taps.columns.count; x > 0; --x, input += column_step) sum += *input * *weights++;
        add_outside(taps.columns.after);
      }
      add_outside(taps.rows.after * kernel_width);
      sum += outside * params.input_zero_point;
      *output++ = saturate(NarrowFactor(record.multiplier, record.right_shift, params.output_zero_point).apply(sum));
    }
  }
}
#endif

}  // namespace

void depthwise_conv2d_dilated_s8(const std::int8_t* input, const DilatedDepthwiseParams& params, std::int8_t* output) {
  const std::int32_t channels = params.input_channels, row_bytes = params.input_width * channels;
  const std::uint32_t output_channels = channels * params.depth_multiplier;
  for (std::uint32_t image = 0; image < params.batches; ++image) {
    std::int32_t top = -params.pad_top;
    for (std::uint32_t y = params.output_height; y > 0; --y, top += params.stride_height) {
      Taps taps;
      taps.rows = span_inside(top, params.kernel_height, params.dilation_height, params.input_height);
      std::int32_t left = -params.pad_left;
      for (std::uint32_t x = params.output_width; x > 0; --x, left += params.stride_width, output += output_channels) {
        taps.columns = span_inside(left, params.kernel_width, params.dilation_width, params.input_width);
        taps.corner = input + taps.rows.first * row_bytes + taps.columns.first * channels;
        compute_pixel(params, taps, output);
        clamp_outputs(output, output_channels, activation_of(params));
      }
    }
    input += params.input_height * row_bytes;
  }
}

Error check_depthwise_conv2d_dilated_s8(const std::uint32_t* argument_bytes, const void* constant) {
  using Params = DilatedDepthwiseParams;
  const auto* params = params_of<Params>(constant, argument_bytes[1]);
  if (params == nullptr || !are_small_sizes(&params->batches, &params->stride_width) ||
      !are_small_sizes(&params->dilation_height, &params->depth_multiplier)) {
    return Error::InvalidArgument;
  }
  const Params& p = *params;
  const Size channels = Size(p.input_channels) * p.depth_multiplier, taps = Size(p.kernel_height) * p.kernel_width;
  const std::uint32_t count = std::uint32_t{p.input_channels} * p.depth_multiplier;
  const std::uint32_t records = (count + kDepthwiseRecordChannels - 1) / kDepthwiseRecordChannels;
  return valid_if((Size(p.batches) * p.input_height * p.input_width * p.input_channels).is(argument_bytes[0]) &&
                  (Size(p.batches) * p.output_height * p.output_width * channels).is(argument_bytes[2]) &&
                  holds_array<Params>(argument_bytes[1], p.channels_offset,
                                      Size(records) * ((taps + kDepthwiseConstants) * kDepthwiseRecordChannels).rounded_up(4)));
}

}  // namespace kindling
