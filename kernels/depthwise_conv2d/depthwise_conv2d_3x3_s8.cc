#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include "kernels/depthwise_conv2d/record.h"
#include "kernels/depthwise_conv2d/rows.h"
#include "kernels/depthwise_conv2d/sixteen_channels.h"
#include "kernels/requantise.h"

#if KINDLING_DSP
#include <arm_acle.h>
#endif

namespace kindling {
namespace {

#if KINDLING_MVE
void compute_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::uint32_t channels = params.input_channels;
  const Activation activation = activation_of(params);
  const std::uint8_t* records = params.channels();
  const std::int8_t *top = rows.next(), *middle = rows.next(), *bottom = rows.next();
  for (std::uint32_t channel = 0; channel < channels; channel += 16, records += depthwise_record_bytes(9).value()) {
    const SixteenRecord& record = *reinterpret_cast<const SixteenRecord*>(records);
    const std::int8_t* w = record.weights;
    const mve_pred16_t lanes = vctp8q(channels - channel);
    const auto weights = [&](std::uint32_t tap) { return vldrbq_s8(w + 16 * tap); };
    const auto inputs = [&](const std::int8_t* tap) { return vldrbq_z_s8(tap, lanes); };
    std::uint32_t at = channel;
    std::int8_t* out = output + channel;
    for (std::uint32_t left = params.output_width; left > 0; --left, at += channels, out += channels) {
      const std::int8_t *t = top + at, *m = middle + at, *b = bottom + at;
      SixteenSums sums(record);
      sums.add(inputs(t), weights(0), inputs(t + channels), weights(1));
      sums.add(inputs(t + 2 * channels), weights(2), inputs(m), weights(3));
      sums.add(inputs(m + channels), weights(4), inputs(m + 2 * channels), weights(5));
      sums.add(inputs(b), weights(6), inputs(b + channels), weights(7));
      sums.add(inputs(b + 2 * channels), weights(8));
      vstrbq_p_s8(out, sums.outputs(record, activation), lanes);
    }
  }
}
#else
/// One column of the window: the inputs of three rows, or their weights.
#if KINDLING_DSP
struct Column {
  Column(std::int32_t top, std::int32_t middle, std::int32_t bottom) : upper((top & 0xffff) | (middle << 16)), bottom(bottom) {}

  std::int32_t upper, bottom;
};

inline std::int32_t add_products(std::int32_t sum, const Column& inputs, const Column& weights) {
  return __smlad(inputs.upper, weights.upper, sum) + inputs.bottom * weights.bottom;
}
#else
struct Column {
  Column(std::int32_t top, std::int32_t middle, std::int32_t bottom) : top(top), middle(middle), bottom(bottom) {}

  std::int32_t top, middle, bottom;
};

inline std::int32_t add_products(std::int32_t sum, const Column& inputs, const Column& weights) {
  return sum + inputs.top * weights.top + inputs.middle * weights.middle + inputs.bottom * weights.bottom;
}
#endif

/// Walks along the row with one channel at a time: each column of inputs is read once and added to the three outputs it belongs to.
void compute_row(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output) {
  const std::uint32_t channels = params.input_channels;
  const Activation activation = activation_of(params);
  const std::uint32_t record_stride = depthwise_record_bytes(9).value();
  const std::uint8_t* records = params.channels();
  const std::int8_t *top = rows.next(), *middle = rows.next(), *bottom = rows.next();
  for (std::uint32_t channel = 0; channel < channels; ++channel, records += record_stride) {
    const SingleRecord& record = *reinterpret_cast<const SingleRecord*>(records);
    const NarrowFactor factor(record.multiplier, record.right_shift, activation.zero_point);
    const std::int8_t* w = record.weights;
    const Column left(w[0], w[3], w[6]), centre(w[1], w[4], w[7]), right(w[2], w[5], w[8]);
    const std::int32_t bias = record.bias;

    std::uint32_t at = channel;
    const Column first(top[at], middle[at], bottom[at]);
    at += channels;
    const Column second(top[at], middle[at], bottom[at]);
    std::int32_t current = add_products(add_products(bias, first, left), second, centre);
    std::int32_t following = add_products(bias, second, left);
    std::int8_t* out = output + channel;
    for (std::uint32_t left_over = params.output_width; left_over > 0; --left_over, out += channels) {
      at += channels;
      const Column inputs(top[at], middle[at], bottom[at]);
      *out = clamp(factor.apply(add_products(current, inputs, right)), activation);
      current = add_products(following, inputs, centre);
      following = add_products(bias, inputs, left);
    }
  }
}
#endif

}  // namespace

void depthwise_conv2d_3x3_s8(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output) {
  for_each_row(input, params, scratch, output, compute_row);
}

Error check_depthwise_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* params) {
  return check_rows(argument_bytes, params, 3, 1);
}

}  // namespace kindling
