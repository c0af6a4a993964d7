#include "kernels/check.h"
#include "kernels/normalise/geometry.h"
#include "kernels/normalise/normalise.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

constexpr std::uint32_t kLargestGroup = 0xffff;
constexpr std::int32_t kFractionBits = 22;

std::uint32_t high_product(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32); }

struct InverseRoot {
  std::uint32_t mantissa;  // 2^29 to 2^31
  std::int32_t shift;
};

/// 1 / sqrt(d) = mantissa * 2^(-30 - shift), d in [1, 2^63).
InverseRoot inverse_root(std::uint64_t d) {
  const std::int32_t headroom = __builtin_clzll(d) & ~1;
  const std::uint32_t x = static_cast<std::uint32_t>((d << headroom) >> 32);
  std::uint32_t y = 2289969185u - high_product(x, 1308569088u);
  for (int step = 0; step < 3; ++step) {
    const std::uint32_t square = static_cast<std::uint32_t>((std::uint64_t{y} * y) >> 31);
    y = static_cast<std::uint32_t>((std::uint64_t{y} * (3u * (1u << 29) - high_product(x, square))) >> 30);
  }
  return {y, 32 - headroom / 2};
}

void normalise_group(const std::int8_t* input, const NormaliseParams& params, std::uint32_t first, std::int8_t* output) {
  std::int32_t sum = 0, squares = 0;
  for_each_element(params, [&](std::uint32_t index, std::uint32_t) {
    const std::int32_t value = input[index];
    sum += value;
    squares += value * value;
  });
  const std::int32_t count = static_cast<std::int32_t>(params.positions * params.depth), zero = params.input_zero_point;
  std::uint64_t spread = (std::uint64_t{params.epsilon_high} << 32) | params.epsilon_low;
  if (params.centred != 0) {
    spread += static_cast<std::uint64_t>(std::int64_t{count} * squares - std::int64_t{sum} * sum);
  } else {
    spread += static_cast<std::uint64_t>(count * (squares - std::int64_t{2 * zero} * sum + std::int64_t{count} * (zero * zero)));
    sum = count * zero;
  }
  const InverseRoot inverse = inverse_root(spread == 0 ? 1 : spread);
  const std::int32_t right = 30 + inverse.shift - kFractionBits;
  const std::int64_t half = std::int64_t{1} << (right - 1);
  const std::int32_t* multipliers = params.multipliers() + first;
  const std::int32_t* offsets = params.offsets() + first;
  const std::int32_t shift = static_cast<std::int32_t>(params.shift), output_half = std::int32_t{1} << (shift - 1);
  for_each_element(params, [&](std::uint32_t index, std::uint32_t i) {
    const std::int64_t product = std::int64_t{count * input[index] - sum} * inverse.mantissa;
    const std::int32_t z = static_cast<std::int32_t>((product + half) >> right);
    const std::int32_t scaled = rounding_doubling_high_multiply(z, multipliers[i]);
    output[index] = saturate((scaled + offsets[i] + output_half) >> shift);
  });
}

}  // namespace

void normalise_s8(const std::int8_t* input, const NormaliseParams& params, std::int8_t* output) {
  for_each_group(input, params, output, [&](const std::int8_t* from, std::uint32_t first, std::int8_t* to) {
    normalise_group(from, params, first, to);
  });
}

Error check_normalise_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<NormaliseParams>(constant, argument_bytes[1]);
  if (params == nullptr || argument_bytes[0] != argument_bytes[2]) return Error::InvalidArgument;
  const bool fits = is_normalisation(*params, argument_bytes[0], argument_bytes[1], params->multipliers_offset, params->offsets_offset);
  const bool in_range = params->input_zero_point >= -128 && params->input_zero_point <= 127 && params->epsilon_high < 1u << 29 &&
                        params->shift - 1u < 31;
  return valid_if(fits && in_range && (Size(params->positions) * params->depth).is_at_most(kLargestGroup));
}

}  // namespace kindling
