// Helpers of the checks that kernels make at load (KernelCheck in kernels/kernel.h).
#pragma once

#include <cstdint>

#include "runtime/error.h"

namespace kindling {

/// A size in bytes computed from parameters nobody has vouched for, each 1 or more: an overflow sticks and equals no real size.
class Size {
 public:
  constexpr Size(std::uint32_t value) : value_(value) {}

  constexpr Size operator*(Size other) const {
    std::uint32_t product = 0;
    return __builtin_mul_overflow(value_, other.value_, &product) ? kOverflow : product;
  }
  constexpr Size operator+(Size other) const {
    std::uint32_t sum = 0;
    return __builtin_add_overflow(value_, other.value_, &sum) ? kOverflow : sum;
  }
  /// To the next multiple of a power of two.
  constexpr Size rounded_up(std::uint32_t multiple) const {
    const Size sum = *this + (multiple - 1);
    return sum.value_ == kOverflow ? sum : Size(sum.value_ & ~(multiple - 1));
  }

  constexpr bool is(std::uint32_t bytes) const { return value_ == bytes && bytes != kOverflow; }
  constexpr bool is_at_most(std::uint32_t bytes) const { return value_ <= bytes && value_ != kOverflow; }

 private:
  static constexpr std::uint32_t kOverflow = 0xffffffff;

  std::uint32_t value_;
};

template <class... Numbers>
constexpr bool all_positive(Numbers... numbers) {
  return ((numbers > 0) && ...);
}

/// Whether each of the numbers of a params struct from `first` to `last` is from 1 to 2^15, as the sizes, strides and dilations are that
/// the compiler writes (Window.require_small of kernels/window.py). Where a tap lies, the sum of two products of them, then has room
/// in 32 bits.
[[gnu::noinline]] inline bool are_small_sizes(const std::uint16_t* first, const std::uint16_t* last) {
  std::uint32_t bits = 0;
  for (; first <= last; ++first) bits |= *first - 1u;
  return bits < 1u << 15;
}

/// The params constant of a call under judgement, or nullptr if it is too small or not aligned to hold a `Params`.
template <class Params>
const Params* params_of(const void* params, std::uint32_t bytes) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(params) % alignof(Params) == 0;
  return aligned && bytes >= sizeof(Params) ? static_cast<const Params*>(params) : nullptr;
}

/// Whether an array of `size` bytes at `offset` lies behind the struct and inside a params constant of `bytes`.
template <class Params>
bool holds_array(std::uint32_t bytes, std::uint32_t offset, Size size) {
  return offset >= sizeof(Params) && offset % 4 == 0 && (size + offset).is_at_most(bytes);
}

/// Elements in so many bytes of floats; 0, which is no size, where some bytes are left over.
constexpr std::uint32_t floats_in(std::uint32_t bytes) { return bytes % sizeof(float) == 0 ? bytes / sizeof(float) : 0; }

inline Error valid_if(bool valid) { return valid ? Error::Ok : Error::InvalidArgument; }

}  // namespace kindling
