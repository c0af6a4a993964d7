#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include <cstddef>

#include "kernels/depthwise_conv2d/record.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/depthwise_conv2d/sixteen_channels.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

#if KINDLING_MVE
void compute_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::uint32_t channels = params.input_channels, kernel_width = params.kernel_width;
  const std::uint32_t record_stride = depthwise_record_bytes(params.kernel_height * kernel_width).value();
  const Activation activation = activation_of(params);
  for (std::uint32_t column = 0; column < params.output_width; ++column) {
    const std::uint8_t* records = params.channels();
    for (std::uint32_t channel = 0; channel < channels; channel += 16, records += record_stride) {
      const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
      const std::int8_t* weights = record.weights;
      const mve_pred16_t lanes = vctp8q(channels - channel);
      SixteenSums sums(record);
      Rows taps = rows;
      for (std::uint32_t ky = 0; ky < params.kernel_height; ++ky) {
        const std::int8_t* input = taps.next() + column * params.stride_width * channels + channel;
        for (std::uint32_t kx = 0; kx < kernel_width; ++kx, input += channels, weights += 16) {
          sums.add(vldrbq_z_s8(input, lanes), vldrbq_s8(weights));
        }
      }
      vstrbq_p_s8(output + column * channels + channel, sums.outputs(record, activation), lanes);
    }
  }
}
#else
void compute_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::uint32_t channels = params.input_channels, kernel_width = params.kernel_width;
  const std::uint32_t record_stride = depthwise_record_bytes(params.kernel_height * kernel_width).value();
  const Activation activation = activation_of(params);
  const std::uint8_t* records = params.channels();
  for (std::uint32_t channel = 0; channel < channels; ++channel, records += record_stride) {
    const SingleRecord& record = *reinterpret_cast<const SingleRecord*>(records);
    const NarrowFactor factor(record.multiplier, record.right_shift, activation.zero_point);
    for (std::uint32_t column = 0; column < params.output_width; ++column) {
      const std::int8_t* weights = record.weights;
      std::int32_t sum = record.bias;
      Rows taps = rows;
      for (std::uint32_t ky = 0; ky < params.kernel_height; ++ky) {
        const std::int8_t* input = taps.next() + column * params.stride_width * channels + channel;
        for (std::uint32_t kx = 0; kx < kernel_width; ++kx, input += channels) sum += *input * *weights++;
      }
      output[column * channels + channel] = clamp(factor.apply(sum), activation);
    }
  }
}
#endif

}  // namespace

void depthwise_conv2d_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, compute_row);
}

Error check_depthwise_conv2d_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, kAny, kAny);
}

}  // namespace kindling
