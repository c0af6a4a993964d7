#include "kernels/check.h"
#include "kernels/linear/dot.h"
#include "kernels/linear/linear.h"
#include "kernels/requantise.h"

namespace kindling {

void linear_s8(const std::int8_t* input, const LinearParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = padded_dot_depth(params.input_channels), channels = params.output_channels;
  const std::uint32_t record_stride = offsetof(DotRecord, weights) + kDotChannels * depth;
  const std::uint8_t* records = params.channels();
  auto* const row = static_cast<DotInput*>(scratch);
  const std::int32_t start = prepare_row(input, params.input_channels, row);
  for (std::uint32_t channel = 0; channel < channels; channel += kDotChannels, records += record_stride) {
    const DotRecord& record = *reinterpret_cast<const DotRecord*>(records);
    store_sums(dot(row, record, depth, start), record, params.output_zero_point, output + channel, channels - channel);
  }
  clamp_outputs(output, channels, activation_of(params));
}

Error check_linear_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<LinearParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const std::uint32_t records = (params->output_channels + kDotChannels - 1) / kDotChannels;
  const Size depth = params->input_channels;
  return valid_if(all_positive(params->input_channels, params->output_channels) && depth.is(input) &&
                  Size(params->output_channels).is(output) && dot_row_bytes(depth).is_at_most(scratch) &&
                  holds_array<LinearParams>(params_bytes, params->channels_offset, Size(records) * dot_record_bytes(depth)));
}

}  // namespace kindling
