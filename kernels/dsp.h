// DSP instructions that the compiler neither finds nor has intrinsics for.
#pragma once

#include "kernels/target.h"

#if KINDLING_DSP

#include <arm_acle.h>

#include <cstdint>

namespace kindling {

/// Bytes 1 and 3 of a word, sign-extended to 16 bits; __sxtb16 gives 0 and 2.
inline std::int32_t sxtb16_odd(std::uint32_t word) {
  std::int32_t result;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(word));
  return result;
}

inline bool is_word_aligned(const void* address) { return (reinterpret_cast<std::uintptr_t>(address) & 3) == 0; }

inline std::uint32_t aligned_word(const std::int8_t* bytes) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  return *reinterpret_cast<const Word*>(bytes);
}

/// The lower half of each.
inline std::int32_t pack_halves(std::int32_t low, std::int32_t high) {
  std::int32_t result;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(result) : "r"(low), "r"(high));
  return result;
}

/// Twice each half, which must fit 15 bits.
inline std::int32_t doubled_halves(std::int32_t halves) { return __sadd16(halves, halves); }

}  // namespace kindling

#endif
