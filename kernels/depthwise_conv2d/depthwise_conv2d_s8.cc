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
  const std::int32_t channels = params.input_channels;
  const std::int32_t kernel_height = params.kernel_height, kernel_width = params.kernel_width;
  const std::int32_t block_bytes = ((params.output_width - 1) * params.stride_width + kernel_width) * 16;
  const std::uint8_t* records = params.channels();
  std::int32_t block = 0;
  for (std::int32_t left = channels; left > 0; left -= 16, output += 16, block += block_bytes) {
    const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
    const mve_pred16_t lanes = vctp8q(left);
    std::int8_t* out = output;
    std::int32_t start = block;
    for (std::int32_t column = params.output_width; column > 0; --column, start += params.stride_width * 16, out += channels) {
      const std::int8_t* weights = record.weights;
      SixteenSums sums(record);
      Rows taps = rows;
      for (std::int32_t ky = kernel_height; ky > 0; --ky) {
        const std::int8_t* input = taps.next() + start;
        for (std::int32_t kx = kernel_width; kx > 0; --kx, input += 16, weights += 16)
          sums.add(vldrbq_s8(input), vldrbq_s8(weights));
      }
      vstrbq_p_s8(out, sums.outputs(record, params.output_zero_point), lanes);
    }
    records += depthwise_record_bytes(kernel_height * kernel_width);
  }
}
#else
void compute_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::uint32_t channels = params.input_channels, kernel_width = params.kernel_width;
  const std::uint32_t record_stride = depthwise_record_bytes(params.kernel_height * kernel_width);
  const std::uint8_t* records = params.channels();
  for (std::uint32_t channel = 0; channel < channels; ++channel, records += record_stride) {
    const SingleRecord& record = *reinterpret_cast<const SingleRecord*>(records);
    const NarrowFactor factor(record.multiplier, record.right_shift, params.output_zero_point);
    for (std::uint32_t column = 0; column < params.output_width; ++column) {
      const std::int8_t* weights = record.weights;
      std::int32_t sum = record.bias;
      Rows taps = rows;
      for (std::uint32_t ky = 0; ky < params.kernel_height; ++ky) {
        const std::int8_t* input = taps.next() + column * params.stride_width * channels + channel;
        for (std::uint32_t kx = 0; kx < kernel_width; ++kx, input += channels) sum += *input * *weights++;
      }
      output[column * channels + channel] = saturate(factor.apply(sum));
    }
  }
}
#endif

}  // namespace

void depthwise_conv2d_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, compute_row);
}

Error check_depthwise_conv2d_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, kAny, kAny, kAny);
}

}  // namespace kindling
