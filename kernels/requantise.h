// From int32 accumulators back to int8 (kernels/requantise.py has the arithmetic and its sources).
#pragma once

#include <cstdint>

#include "kernels/target.h"

namespace kindling {

/// An amount to shift by, as parameters have it that nobody has vouched for. Arm's instructions shift by any amount; for the host the
/// bits are left out that would be too many.
inline std::int32_t shift_amount(std::int32_t amount) {
#if defined(__arm__)
  return amount;
#else
  return amount & 31;
#endif
}

/// What follows the factor: the output's zero point and the range it is clamped to.
struct Activation {
  std::int32_t zero_point;
  std::int32_t min;
  std::int32_t max;
};

template <class Params>
inline Activation activation_of(const Params& params) {
  return {params.output_zero_point, params.activation_min, params.activation_max};
}

inline std::int8_t clamp(std::int32_t value, std::int32_t min, std::int32_t max) {
  if (value < min) value = min;
  if (value > max) value = max;
  return static_cast<std::int8_t>(value);
}

inline std::int8_t clamp(std::int32_t value, const Activation& activation) { return clamp(value, activation.min, activation.max); }

/// The nearest int8.
inline std::int8_t saturate(std::int32_t value) {
#if KINDLING_DSP || (defined(__arm__) && !KINDLING_THUMB1)
  std::int32_t result;
  __asm__("ssat %0, #8, %1" : "=r"(result) : "r"(value));
  return static_cast<std::int8_t>(result);
#else
  return clamp(value, -128, 127);
#endif
}

/// The nearest int16.
inline std::int16_t saturate16(std::int32_t value) {
#if KINDLING_DSP || (defined(__arm__) && !KINDLING_THUMB1)
  std::int32_t result;
  __asm__("ssat %0, #16, %1" : "=r"(result) : "r"(value));
  return static_cast<std::int16_t>(result);
#else
  if (value < -32768) value = -32768;
  if (value > 32767) value = 32767;
  return static_cast<std::int16_t>(value);
#endif
}

/// Clamps outputs that are saturated already. Most activations are wide enough to leave them alone.
inline void clamp_outputs(std::int8_t* outputs, std::uint32_t count, const Activation& activation) {
  if (activation.min <= -128 && activation.max >= 127) return;
#if KINDLING_MVE
  __asm__ volatile(
      "vdup.8 q1, %[min]\n"
      "vdup.8 q2, %[max]\n"
      "wlstp.8 lr, %[count], 2f\n"
      "1:\n"
      "vldrb.8 q0, [%[outputs]]\n"
      "vmax.s8 q0, q0, q1\n"
      "vmin.s8 q0, q0, q2\n"
      "vstrb.8 q0, [%[outputs]], #16\n"
      "letp lr, 1b\n"
      "2:\n"
      : [outputs] "+r"(outputs)
      : [min] "r"(activation.min), [max] "r"(activation.max), [count] "r"(count)
      : "q0", "q1", "q2", "lr", "memory");
#else
  for (; count > 0; --count, ++outputs) *outputs = clamp(*outputs, activation);
#endif
}

/// (a * b) / 2^31 rounded half up; a and b are not both -2^31.
inline std::int32_t rounding_doubling_high_multiply(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>((static_cast<std::int64_t>(a) * b + (1 << 30)) >> 31);
}

/// x / 2^exponent rounded half away from zero, 0 <= exponent <= 31.
inline std::int32_t rounding_divide_by_power_of_two(std::int32_t x, std::int32_t exponent) {
  exponent = shift_amount(exponent);
  const std::uint32_t mask = (std::uint32_t{1} << exponent) - 1;
  const std::uint32_t remainder = static_cast<std::uint32_t>(x) & mask;
  const std::uint32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/// accumulator * multiplier * 2^(shift - 31), shift in [-31, 30]; the result of a left shift must fit int32.
inline std::int32_t requantise(std::int32_t accumulator, std::int32_t multiplier, std::int32_t shift) {
  const std::int32_t left = shift > 0 ? shift : 0;
  const std::int32_t right = shift > 0 ? 0 : -shift;
  const std::int32_t shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) << shift_amount(left));
  return rounding_divide_by_power_of_two(rounding_doubling_high_multiply(shifted, multiplier), right);
}

/// The factor of one output channel under the conditions of `Channels.is_narrow`: right shifts of 1 to 23.
class NarrowFactor {
 public:
  NarrowFactor(std::int32_t multiplier, std::int32_t right_shift, std::int32_t zero_point)
      : multiplier_(multiplier), right_shift_(right_shift), offset_((2 * zero_point + 1) * (1 << shift_amount(right_shift - 1))) {}

  std::int32_t multiplier() const { return multiplier_; }
  std::int32_t right_shift() const { return right_shift_; }
  std::int32_t offset() const { return offset_; }

  /// requantise(accumulator) + zero point. The offset rounds half up and adds the zero point before the shift; the
  /// accumulator's sign bit turns it into half away from zero.
  std::int32_t apply(std::int32_t accumulator) const { return scale(accumulator * 2, offset_ + (accumulator >> 31)); }

  /// The same for 2 * accumulator.
  std::int32_t apply_to_double(std::int32_t accumulator2) const { return scale(accumulator2, offset_ + (accumulator2 >> 31)); }

 private:
  std::int32_t scale(std::int32_t accumulator2, std::int32_t offset) const {
#if KINDLING_DSP
    std::int32_t scaled;
    __asm__("smmlar %0, %1, %2, %3" : "=r"(scaled) : "r"(accumulator2), "r"(multiplier_), "r"(offset));
    return scaled >> shift_amount(right_shift_);
#elif KINDLING_THUMB1
    return (offset + high_product(accumulator2)) >> shift_amount(right_shift_);
#else
    const std::int64_t start = static_cast<std::int64_t>(offset) * (std::int64_t{1} << 32) + 0x80000000LL;
    const std::int64_t scaled = start + static_cast<std::int64_t>(accumulator2) * multiplier_;
    return static_cast<std::int32_t>(scaled >> 32) >> shift_amount(right_shift_);
#endif
  }

#if KINDLING_THUMB1
  /// (a * multiplier + 2^31) >> 32 from 16-bit halves: a library call for a 64-bit product would take longer.
  std::int32_t high_product(std::int32_t a) const {
    const std::int32_t high = a >> 16, multiplier_high = multiplier_ >> 16;
    const std::uint32_t low = a & 0xffff, multiplier_low = multiplier_ & 0xffff;
    const std::uint32_t middle = low * static_cast<std::uint32_t>(multiplier_high) + ((low * multiplier_low) >> 16) + 0x8000u;
    const std::int32_t other = high * static_cast<std::int32_t>(multiplier_low) + static_cast<std::int32_t>(middle & 0xffff);
    return high * multiplier_high + static_cast<std::int32_t>(middle >> 16) + (other >> 16);
  }
#endif

  std::int32_t multiplier_, right_shift_, offset_;
};

}  // namespace kindling
