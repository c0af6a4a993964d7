#include "kernels/linear/linear.h"

#include <cstddef>

#include "kernels/check.h"
#include "kernels/copy.h"
#include "kernels/requantise.h"
#include "kernels/target.h"

#if KINDLING_DSP
#include <arm_acle.h>
#elif KINDLING_MVE
#include "kernels/requantise_mve.h"
#endif

namespace kindling {
namespace {

constexpr std::uint32_t kRecordChannels = 4;
constexpr std::uint32_t kDepthStep = KINDLING_MVE ? 16 : 4;

/// See four_records in linear.py.
struct Record {
  std::int32_t bias[kRecordChannels];
  std::int32_t multiplier[kRecordChannels];
  std::int8_t shift[kRecordChannels];
  std::int8_t weights[];
};

Size record_bytes(Size depth) { return depth.rounded_up(kDepthStep) * kRecordChannels + offsetof(Record, weights); }

#if KINDLING_DSP
/// Inputs 0 and 2 of each four in one word, 1 and 3 in the next, sign-extended: the order in which SXTB16 leaves weights.
using Input = std::int32_t;

inline std::int32_t pair(std::int32_t first, std::int32_t second) { return (first & 0xffff) | (second << 16); }

void spread(const std::int8_t* input, std::uint32_t depth, Input* spread) {
  for (; depth >= 4; depth -= 4, input += 4, spread += 2) {
    spread[0] = pair(input[0], input[2]);
    spread[1] = pair(input[1], input[3]);
  }
  if (depth > 0) {
    spread[0] = pair(input[0], depth > 2 ? input[2] : 0);
    spread[1] = pair(depth > 1 ? input[1] : 0, 0);
  }
}

inline void multiply(const Input* inputs, const std::int8_t* weights, std::uint32_t depth, std::int32_t (&sums)[kRecordChannels]) {
  using Word [[gnu::may_alias]] = std::int32_t;
  const auto* words = reinterpret_cast<const Word*>(weights);
  for (; depth > 0; depth -= 4) {
    const std::int32_t even = inputs[0], odd = inputs[1];
    inputs += 2;
    for (std::int32_t& sum : sums) {
      const std::int32_t word = *words++;
      sum = __smlad(even, __sxtb16(word), sum);
      sum = __smlad(odd, __sxtb16(__ror(word, 8)), sum);
    }
  }
}
#else
using Input = std::int8_t;

void spread(const std::int8_t* input, std::uint32_t depth, Input* spread) { copy_bytes(spread, input, depth); }

#if KINDLING_MVE
inline void multiply(const Input* inputs, const std::int8_t* weights, std::uint32_t depth, std::int32_t (&sums)[kRecordChannels]) {
  for (; depth > 0; depth -= kDepthStep, inputs += kDepthStep, weights += kRecordChannels * kDepthStep) {
    const int8x16_t input = vldrbq_s8(inputs);
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < kRecordChannels; ++i) sums[i] = vmladavaq_s8(sums[i], input, vldrbq_s8(weights + i * kDepthStep));
  }
}
#else
inline void multiply(const Input* inputs, const std::int8_t* weights, std::uint32_t depth, std::int32_t (&sums)[kRecordChannels]) {
  for (; depth > 0; depth -= 4) {
#pragma GCC unroll 4
    for (std::uint32_t tap = 0; tap < 4; ++tap) {
      const std::int32_t input = *inputs++;
      for (std::int32_t& sum : sums) sum += input * *weights++;
    }
  }
}
#endif
#endif

}  // namespace

void linear_s8(const std::int8_t* input, const LinearParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = (params.input_channels + kDepthStep - 1) & ~(kDepthStep - 1);
  const Activation activation = activation_of(params);
  const std::uint8_t* records = params.channels();
  auto* const inputs = static_cast<Input*>(scratch);
  spread(input, params.input_channels, inputs);
  for (std::uint32_t channel = 0; channel < params.output_channels; channel += kRecordChannels) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    std::int32_t sums[kRecordChannels] = {record.bias[0], record.bias[1], record.bias[2], record.bias[3]};
    multiply(inputs, record.weights, depth, sums);
#if KINDLING_MVE
    int32x4_t result = requantise(vldrwq_s32(sums), vldrwq_s32(record.multiplier), vldrbq_s32(record.shift), activation.zero_point);
    result = vminq_s32(vmaxq_s32(result, vdupq_n_s32(activation.min)), vdupq_n_s32(activation.max));
    vstrbq_p_s32(output + channel, result, vctp32q(params.output_channels - channel));
#else
    for (std::uint32_t i = 0; i < kRecordChannels && channel + i < params.output_channels; ++i) {
      *output++ = clamp(NarrowFactor(record.multiplier[i], record.shift[i], activation.zero_point).apply(sums[i]), activation);
    }
#endif
    records += offsetof(Record, weights) + kRecordChannels * depth;
  }
}

Error check_linear_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<LinearParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const std::uint32_t records = (params->output_channels + kRecordChannels - 1) / kRecordChannels;
  const Size depth = params->input_channels;
  const Size copy = depth.rounded_up(kDepthStep) * (KINDLING_DSP ? 2 : 1);
  return valid_if(all_positive(params->input_channels, params->output_channels) && depth.is(input) &&
                  Size(params->output_channels).is(output) && copy.is_at_most(scratch) &&
                  holds_array<LinearParams>(params_bytes, params->channels_offset, Size(records) * record_bytes(depth)));
}

}  // namespace kindling
