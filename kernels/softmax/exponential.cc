#include "kernels/softmax/exponential.h"

namespace kindling {
namespace {

constexpr std::int32_t kIntegerBits = 5;  // of the exponent
constexpr std::int32_t kFractionBits = 31 - kIntegerBits;
constexpr std::int32_t kOne = 0x7fffffff;  // in units of 2^-31

std::int32_t multiply(std::int32_t a, std::int32_t b) { return rounding_doubling_high_multiply(a, b); }

/// exp(a / 2^31) for a in [-2^29, 0), in units of 2^-31: the Taylor polynomial around -1/8.
std::int32_t exponential_near_zero(std::int32_t a) {
  constexpr std::int32_t kExpMinusEighth = 1895147668, kThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = multiply(x, x), x3 = multiply(x2, x);
  const std::int32_t x4_over_4 = rounding_divide_by_power_of_two(multiply(x2, x2), 2);
  const std::int32_t tail = rounding_divide_by_power_of_two(multiply(x4_over_4 + x3, kThird) + x2, 1);
  return kExpMinusEighth + multiply(kExpMinusEighth, x + tail);
}

}  // namespace

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

}  // namespace kindling
