#include "kernels/check.h"
#include "kernels/linear/dot.h"
#include "kernels/linear/linear.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Inputs of a row that are prepared at once: all, or on DSP cores, where they grow, this many if it saves memory even though sums must
/// then be kept from one time to the next, or if there are more inputs than can be added up at once. See scratch_bytes in linear.py.
constexpr std::uint32_t kChunk = 112;

std::uint32_t record_count(const LinearParams& params) { return (params.output_channels + kDotChannels - 1) / kDotChannels; }

constexpr std::uint32_t kKeptBytes = kDotChannels * sizeof(std::int32_t);  // of a record

#if KINDLING_DSP
bool keeps_sums(const LinearParams& params) {
  const std::uint32_t padded = padded_dot_depth(params.input_channels);
  return padded > kDotSegment || (padded > kChunk && 2 * (padded - kChunk) > record_count(params) * kKeptBytes);
}

void multiply_in_chunks(const std::int8_t* input, const LinearParams& params, DotInput* row, std::int8_t* output) {
  const std::uint32_t depth = params.input_channels, record_bytes = offsetof(DotRecord, weights) + kDotChannels * padded_dot_depth(depth);
  const std::uint8_t* const records = params.channels();
  std::int32_t* const kept = row + kChunk / kDotInputsEach;
  DotWalk walk = {row, kChunk, 0, 0, records, 0, record_bytes, record_count(params), nullptr, 0, kept, output, params.output_zero_point};
  walk.sums = reinterpret_cast<const DotRecord*>(records)->bias;
  walk.sums_bytes = record_bytes;
  for (; depth - walk.first_input > kChunk; walk.first_input += kChunk) {
    walk.row_sum = prepare_row(input + walk.first_input, kChunk, row);
    walk_records(walk);
    walk.sums = kept;
    walk.sums_bytes = kKeptBytes;
  }
  walk.row_sum = prepare_row(input + walk.first_input, depth - walk.first_input, row);
  walk.padded_depth = padded_dot_depth(depth - walk.first_input);
  walk.kept = nullptr;
  walk_channels(walk, params.output_channels);
}
#else
constexpr bool keeps_sums(const LinearParams&) { return false; }
#endif

}  // namespace

void linear_s8(const std::int8_t* input, const LinearParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = params.input_channels, channels = params.output_channels;
  auto* const row = static_cast<DotInput*>(scratch);
#if KINDLING_DSP
  if (keeps_sums(params)) {
    multiply_in_chunks(input, params, row, output);
  } else {
    const std::int32_t row_sum = prepare_row(input, depth, row);
    multiply_segment(row, padded_dot_depth(depth), row_sum, params.channels(), channels, 0, params.output_zero_point, output);
  }
#else
  const std::int32_t row_sum = prepare_row(input, depth, row);
  multiply_row(row, padded_dot_depth(depth), row_sum, params.channels(), channels, 0, params.output_zero_point, output);
#endif
  clamp_outputs(output, channels, activation_of(params));
}

Error check_linear_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<LinearParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const Size depth = params->input_channels;
  const Size needed = keeps_sums(*params) ? dot_row_bytes(kChunk) + Size(record_count(*params)) * kKeptBytes : dot_row_bytes(depth);
  return valid_if(all_positive(params->input_channels, params->output_channels) && depth.is(input) &&
                  Size(params->output_channels).is(output) && needed.is_at_most(scratch) &&
                  holds_array<LinearParams>(params_bytes, params->channels_offset, Size(record_count(*params)) * dot_record_bytes(depth)));
}

}  // namespace kindling
