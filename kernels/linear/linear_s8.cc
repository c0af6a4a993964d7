#include "kernels/check.h"
#include "kernels/linear/dot.h"
#include "kernels/linear/linear.h"
#include "kernels/requantise.h"
#include "kernels/requantise_mve.h"

namespace kindling {
namespace {

std::uint32_t padded(std::uint32_t depth) { return (depth + kDotStep - 1) & ~(kDotStep - 1); }

Size record_bytes(Size depth) { return depth.rounded_up(kDotStep) * kDotChannels + offsetof(DotRecord, weights); }

/// Stores `count` outputs, of the four sums or the first of them.
#if KINDLING_MVE
inline void store(const DotSums& sums, const DotRecord& record, std::int32_t zero_point, std::int8_t* output, std::uint32_t count) {
  const std::int32_t lanes[] = {sums.channel0, sums.channel1, sums.channel2, sums.channel3};
  const int32x4_t result = requantise(vldrwq_s32(lanes), vldrwq_s32(record.multiplier), vldrbq_s32(record.shift), zero_point);
  vstrbq_p_s32(output, vminq_s32(vmaxq_s32(result, vdupq_n_s32(-128)), vdupq_n_s32(127)), vctp32q(count));
}
#else
inline void store(const DotSums& sums, const DotRecord& record, std::int32_t zero_point, std::int8_t* output, std::uint32_t count) {
  const auto store_one = [&](std::uint32_t channel, std::int32_t sum) {
    if (channel >= count) return;
    output[channel] = saturate(NarrowFactor(record.multiplier[channel], record.shift[channel], zero_point).apply(sum));
  };
  store_one(0, sums.channel0);
  store_one(1, sums.channel1);
  store_one(2, sums.channel2);
  store_one(3, sums.channel3);
}
#endif

}  // namespace

void linear_s8(const std::int8_t* input, const LinearParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = padded(params.input_channels), channels = params.output_channels;
  const std::uint32_t record_stride = offsetof(DotRecord, weights) + kDotChannels * depth;
  const std::uint8_t* records = params.channels();
  auto* const row = static_cast<DotInput*>(scratch);
  const std::int32_t start = prepare_row(input, params.input_channels, row);
  for (std::uint32_t channel = 0; channel < channels; channel += kDotChannels, records += record_stride) {
    const DotRecord& record = *reinterpret_cast<const DotRecord*>(records);
    store(dot(row, record, depth, start), record, params.output_zero_point, output + channel, channels - channel);
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
  const Size copy = depth.rounded_up(kDotStep) * (KINDLING_DSP ? 2 : 1);
  return valid_if(all_positive(params->input_channels, params->output_channels) && depth.is(input) &&
                  Size(params->output_channels).is(output) && copy.is_at_most(scratch) &&
                  holds_array<LinearParams>(params_bytes, params->channels_offset, Size(records) * record_bytes(depth)));
}

}  // namespace kindling
