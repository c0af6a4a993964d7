#include "kernels/check.h"
#include "kernels/requantise.h"
#include "kernels/softmax/softmax.h"

namespace kindling {
namespace {

constexpr std::int32_t kIntegerBits = 5;  // of differences
constexpr std::int32_t kFractionBits = 31 - kIntegerBits;
constexpr std::int32_t kSumBits = 12;
constexpr std::int32_t kOne = 0x7fffffff;  // in units of 2^-31

std::int32_t multiply(std::int32_t a, std::int32_t b) { return rounding_doubling_high_multiply(a, b); }

std::int32_t saturating_double(std::int32_t x) {
  if (x > kOne / 2) return kOne;
  if (x < -kOne / 2 - 1) return -kOne - 1;
  return x * 2;
}

/// exp(a / 2^31) for a in [-2^29, 0), in units of 2^-31: the Taylor polynomial around -1/8.
std::int32_t exponential_near_zero(std::int32_t a) {
  constexpr std::int32_t kExpMinusEighth = 1895147668, kThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = multiply(x, x), x3 = multiply(x2, x);
  const std::int32_t x4_over_4 = rounding_divide_by_power_of_two(multiply(x2, x2), 2);
  const std::int32_t tail = rounding_divide_by_power_of_two(multiply(x4_over_4 + x3, kThird) + x2, 1);
  return kExpMinusEighth + multiply(kExpMinusEighth, x + tail);
}

/// exp(x / 2^26) for x <= 0, in units of 2^-31.
std::int32_t exponential(std::int32_t x) {
  if (x == 0) return kOne;
  constexpr std::int32_t kQuarter = 1 << (kFractionBits - 2);
  const std::int32_t below_quarter = (x & (kQuarter - 1)) - kQuarter;
  std::int32_t result = exponential_near_zero(below_quarter * (1 << kIntegerBits));
  // exp(-2^i) in units of 2^-31 for i = -2, -1, ... 4
  static constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  std::uint32_t bit = kQuarter;
  for (const std::int32_t factor : kFactors) {
    if (static_cast<std::uint32_t>(below_quarter - x) & bit) result = multiply(result, factor);
    bit *= 2;
  }
  return result;
}

/// 2^31 / (1 + fraction / 2^31) for fraction in [0, 2^31), by three of Newton's steps.
std::int32_t reciprocal(std::int32_t fraction) {
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540;  // two integer bits
  const std::int32_t half_denominator = static_cast<std::int32_t>((static_cast<std::uint32_t>(fraction) + (1u << 31)) >> 1);
  std::int32_t x = k48Over17 + multiply(half_denominator, kMinus32Over17);
  for (int step = 0; step < 3; ++step) {
    const std::int32_t error = (1 << 29) - multiply(half_denominator, x);
    x += saturating_double(saturating_double(multiply(x, error)));
  }
  return saturating_double(x);
}

/// Of elements that are `step` apart.
void softmax_row(const std::int8_t* input, std::uint32_t step, const SoftmaxParams& params, std::int8_t* output) {
  const std::uint32_t end = params.depth * step;
  std::int32_t largest = -128;
  for (std::uint32_t i = 0; i < end; i += step) largest = input[i] > largest ? input[i] : largest;
  const auto exponential_of = [&](std::int32_t difference) {
    return exponential(multiply(difference * (1 << params.input_shift), params.input_multiplier));
  };

  std::int32_t sum = 0;  // kSumBits integer bits
  for (std::uint32_t i = 0; i < end; i += step) {
    const std::int32_t difference = input[i] - largest;
    if (difference >= params.diff_min) sum += rounding_divide_by_power_of_two(exponential_of(difference), kSumBits);
  }
  const std::int32_t headroom = __builtin_clz(static_cast<std::uint32_t>(sum));
  const std::uint32_t fraction = (static_cast<std::uint32_t>(sum) << headroom) - (1u << 31);
  const std::int32_t inverse = reciprocal(static_cast<std::int32_t>(fraction));
  const std::int32_t shift = kSumBits - headroom + 31 - 8;

  for (std::uint32_t i = 0; i < end; i += step) {
    const std::int32_t difference = input[i] - largest;
    std::int32_t value = -128;
    if (difference >= params.diff_min) {
      value += rounding_divide_by_power_of_two(multiply(inverse, exponential_of(difference)), shift);
    }
    output[i] = clamp(value, -128, 127);
  }
}

}  // namespace

void softmax_s8(const std::int8_t* input, const SoftmaxParams& params, std::int8_t* output) {
  const std::uint32_t inner = params.inner;
  for (std::uint32_t outer = 0; outer < params.outer; ++outer) {
    for (std::uint32_t column = 0; column < inner; ++column) softmax_row(input + column, inner, params, output + column);
    input += params.depth * inner;
    output += params.depth * inner;
  }
}

Error check_softmax_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<SoftmaxParams>(constant, argument_bytes[1]);
  if (params == nullptr || !all_positive(params->outer, params->depth, params->inner)) return Error::InvalidArgument;
  if (params->diff_min > 0) return Error::InvalidArgument;  // Not even the largest would count, and there would be nothing to divide by.
  const Size bytes = Size(params->outer) * params->depth * params->inner;
  return valid_if(bytes.is(argument_bytes[0]) && bytes.is(argument_bytes[2]));
}

}  // namespace kindling
