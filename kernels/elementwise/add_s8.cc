#include "kernels/check.h"
#include "kernels/elementwise/add.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

constexpr std::int32_t kLeftShift = 20;

/// An operand in the common scale of both.
std::int32_t scaled(std::int32_t value, std::int32_t zero_point, std::int32_t multiplier, std::int32_t right_shift) {
  const std::int32_t product = rounding_doubling_high_multiply((value - zero_point) * (1 << kLeftShift), multiplier);
  return rounding_divide_by_power_of_two(product, right_shift);
}

}  // namespace

void add_s8(const std::int8_t* a, const std::int8_t* b, const AddParams& params, std::int8_t* output) {
  for (std::uint32_t i = 0; i < params.count; ++i) {
    const std::int32_t sum = scaled(a[i], params.zero_point_a, params.multiplier_a, -params.shift_a) +
                             scaled(b[i], params.zero_point_b, params.multiplier_b, -params.shift_b);
    const std::int32_t product = rounding_doubling_high_multiply(sum, params.output_multiplier);
    const std::int32_t value = rounding_divide_by_power_of_two(product, -params.output_shift) + params.output_zero_point;
    output[i] = clamp(value, params.activation_min, params.activation_max);
  }
}

Error check_add_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AddParams>(constant, argument_bytes[2]);
  return valid_if(params != nullptr && params->count == argument_bytes[0] && params->count == argument_bytes[1] &&
                  params->count == argument_bytes[3]);
}

}  // namespace kindling
