#include "kernels/linear/linear_s16.h"

#include "kernels/check.h"
#include "kernels/linear/dot.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Stores `count` outputs, of the four sums or the first of them.
void store_sums(const DotSums& sums, const DotRecord& record, const LinearS16Params& params, std::int16_t* output, std::uint32_t count) {
  const std::int32_t in_order[] = {sums.channel0, sums.channel1, sums.channel2, sums.channel3};
  for (std::uint32_t channel = 0; channel < kDotChannels && channel < count; ++channel) {
    std::int32_t value = requantise(in_order[channel], record.multiplier[channel], -dot_right_shift(record.shift[channel])) + params.output_zero_point;
    if (value < params.activation_min) value = params.activation_min;
    if (value > params.activation_max) value = params.activation_max;
    output[channel] = static_cast<std::int16_t>(value);
  }
}

}  // namespace

void linear_s16(const std::int8_t* input, const LinearS16Params& params, void* scratch, std::int16_t* output) {
  const std::uint32_t depth = padded_dot_depth(params.input_channels), channels = params.output_channels;
  const std::uint32_t record_stride = offsetof(DotRecord, weights) + kDotChannels * depth;
  auto* const row = static_cast<DotInput*>(scratch);
  for (std::uint32_t i = 0; i < params.rows; ++i, input += params.input_channels, output += channels) {
    const std::uint8_t* records = params.channels();
    const std::int32_t row_sum = prepare_row(input, params.input_channels, row);
    for (std::uint32_t channel = 0; channel < channels; channel += kDotChannels, records += record_stride) {
      const DotRecord& record = *reinterpret_cast<const DotRecord*>(records);
      store_sums(row_sums(row, depth, row_sum, record, 0), record, params, output + channel, channels - channel);
    }
  }
}

Error check_linear_s16(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<LinearS16Params>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const std::uint32_t records = (params->output_channels + kDotChannels - 1) / kDotChannels;
  const Size rows = params->rows, depth = params->input_channels;
  return valid_if(all_positive(params->rows, params->input_channels, params->output_channels) && (rows * depth).is(input) &&
                  (rows * params->output_channels * sizeof(std::int16_t)).is(output) && dot_row_bytes(depth).is_at_most(scratch) &&
                  holds_array<LinearS16Params>(params_bytes, params->channels_offset, Size(records) * dot_record_bytes(depth)));
}

}  // namespace kindling
