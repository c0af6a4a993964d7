#include "kernels/check.h"
#include "kernels/softmax/exponential.h"
#include "kernels/softmax/softmax.h"

namespace kindling {
namespace {

constexpr std::int32_t kFractionBits = 13;   // of a step of the output
constexpr std::int32_t kLogarithmBits = 20;  // of a logarithm's fraction

/// log2(sum / 2^(31 - kSumBits)) in units of 2^-kLogarithmBits, bit after bit: where the square of a number in [1, 2) is 2 or more, the
/// next bit of its logarithm is 1.
std::int32_t logarithm(std::int32_t sum) {
  const std::int32_t headroom = __builtin_clz(static_cast<std::uint32_t>(sum));
  std::uint32_t x = (static_cast<std::uint32_t>(sum) << headroom) >> 1;  // in [2^30, 2^31)
  std::int32_t result = kSumBits - headroom;
  for (std::int32_t bit = 0; bit < kLogarithmBits; ++bit) {
    x = static_cast<std::uint32_t>((static_cast<std::uint64_t>(x) * x) >> 30);
    const std::uint32_t is_two_or_more = x >> 31;
    x >>= is_two_or_more;
    result = result * 2 + static_cast<std::int32_t>(is_two_or_more);
  }
  return result;
}

}  // namespace

void log_softmax_s8(const std::int8_t* input, const LogSoftmaxParams& params, std::int8_t* output) {
  const std::uint32_t step = params.inner, end = params.depth * step;
  for_each_row(input, params, output, [&](const std::int8_t* from, std::int8_t* to) {
    const RowSum row = sum_of_exponentials(from, step, params);
    const std::int32_t scaled =
        requantise(logarithm(row.sum) * (1 << 7), params.logarithm_multiplier, -static_cast<std::int32_t>(params.logarithm_right_shift));
    const std::int32_t offset = params.output_zero_point * (1 << kFractionBits) + (1 << (kFractionBits - 1)) - scaled;
    for (std::uint32_t i = 0; i < end; i += step) {
      to[i] = clamp(((from[i] - row.largest) * params.difference_step + offset) >> kFractionBits, -128, 127);
    }
  });
}

Error check_log_softmax_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<LogSoftmaxParams>(constant, argument_bytes[1]);
  if (params == nullptr || !is_softmax(*params)) return Error::InvalidArgument;
  const Size bytes = Size(params->outer) * params->depth * params->inner;
  return valid_if(bytes.is(argument_bytes[0]) && bytes.is(argument_bytes[2]) && params->logarithm_right_shift < 32);
}

}  // namespace kindling
