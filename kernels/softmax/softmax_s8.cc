#include "kernels/check.h"
#include "kernels/softmax/exponential.h"
#include "kernels/softmax/softmax.h"

namespace kindling {
namespace {

constexpr std::int32_t kOne = 0x7fffffff;  // in units of 2^-31

std::int32_t multiply(std::int32_t a, std::int32_t b) { return rounding_doubling_high_multiply(a, b); }

std::int32_t saturating_double(std::int32_t x) {
  if (x > kOne / 2) return kOne;
  if (x < -kOne / 2 - 1) return -kOne - 1;
  return x * 2;
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
  const RowSum row = sum_of_exponentials(input, step, params);
  const std::int32_t headroom = __builtin_clz(static_cast<std::uint32_t>(row.sum));
  const std::uint32_t fraction = (static_cast<std::uint32_t>(row.sum) << headroom) - (1u << 31);
  std::int32_t inverse = reciprocal(static_cast<std::int32_t>(fraction));
  std::int32_t shift = kSumBits - headroom + 31 - 8;
  // Where exponentials sum to 512 or more, every quotient is less than half a step.
  if (shift > 31) inverse = 0, shift = 31;
  const std::uint32_t end = params.depth * step;
  for (std::uint32_t i = 0; i < end; i += step) {
    const std::int32_t difference = input[i] - row.largest;
    std::int32_t value = -128;
    if (difference >= params.diff_min) {
      value += rounding_divide_by_power_of_two(multiply(inverse, exponential_of(difference, params)), shift);
    }
    output[i] = clamp(value, -128, 127);
  }
}

}  // namespace

void softmax_s8(const std::int8_t* input, const SoftmaxParams& params, std::int8_t* output) {
  for_each_row(input, params, output,
               [&](const std::int8_t* from, std::int8_t* to) { softmax_row(from, params.inner, params, to); });
}

Error check_softmax_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<SoftmaxParams>(constant, argument_bytes[1]);
  if (params == nullptr || !is_softmax(*params)) return Error::InvalidArgument;
  const Size bytes = Size(params->outer) * params->depth * params->inner;
  return valid_if(bytes.is(argument_bytes[0]) && bytes.is(argument_bytes[2]));
}

}  // namespace kindling
