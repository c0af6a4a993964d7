// Copying and filling runs of neighbouring bytes, in rising order, by words where the alignment of the ends allows.
#pragma once

#include <cstdint>

#include "kernels/copy.h"
#include "kernels/target.h"

namespace kindling {

#if KINDLING_MVE
inline void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target) { copy_bytes(target, source, count); }
#else
/// Both ends and `count` are multiples of four.
inline void copy_words(const std::int8_t* source, std::uint32_t count, std::int8_t* target) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  for (; count >= 16; count -= 16, source += 16, target += 16) {
    const auto* words = reinterpret_cast<const Word*>(source);
    const Word a = words[0], b = words[1], c = words[2], d = words[3];
    auto* copies = reinterpret_cast<Word*>(target);
    copies[0] = a, copies[1] = b, copies[2] = c, copies[3] = d;
  }
  for (; count > 0; count -= 4, source += 4, target += 4) *reinterpret_cast<Word*>(target) = *reinterpret_cast<const Word*>(source);
}

inline void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target) {
  const auto from = reinterpret_cast<std::uintptr_t>(source), to = reinterpret_cast<std::uintptr_t>(target);
  if (((from | to | count) & 3) == 0) return copy_words(source, count, target);
  if (((from ^ to) & 3) == 0 && count >= 8) {
    for (; (reinterpret_cast<std::uintptr_t>(source) & 3) != 0; --count) *target++ = *source++;
    const std::uint32_t words = count & ~std::uint32_t{3};
    copy_words(source, words, target);
    source += words, target += words, count &= 3;
  }
  for (; count >= 4; count -= 4, source += 4, target += 4) {
    const std::int8_t a = source[0], b = source[1], c = source[2], d = source[3];
    target[0] = a, target[1] = b, target[2] = c, target[3] = d;
  }
  for (; count > 0; --count) *target++ = *source++;
}
#endif

#if KINDLING_MVE
inline void fill_run(std::int8_t* target, std::int8_t value, std::uint32_t count) { fill_bytes(target, value, count); }
#else
inline void fill_run(std::int8_t* target, std::int8_t value, std::uint32_t count) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  for (; (reinterpret_cast<std::uintptr_t>(target) & 3) != 0 && count > 0; --count) *target++ = value;
  const std::uint32_t values = 0x01010101u * static_cast<std::uint8_t>(value);
  for (; count >= 16; count -= 16, target += 16) {
    auto* words = reinterpret_cast<Word*>(target);
    words[0] = values, words[1] = values, words[2] = values, words[3] = values;
  }
  for (; count > 0; --count) *target++ = value;
}
#endif

}  // namespace kindling
