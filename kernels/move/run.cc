#include "kernels/move/run.h"

#include "kernels/target.h"

#if !KINDLING_MVE
namespace kindling {
namespace {

using Word [[gnu::may_alias]] = std::uint32_t;

/// Whether an address, or what two of them differ by, is no multiple of four.
inline bool is_unaligned(std::uintptr_t numbers) { return (numbers & 3) != 0; }

inline std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target) {
  if (count >= 4 && !is_unaligned(address(source) ^ address(target))) {
    for (; is_unaligned(address(source)); --count) *target++ = *source++;
    for (; count >= 16; count -= 16, source += 16, target += 16) {
      const auto* words = reinterpret_cast<const Word*>(source);
      const Word a = words[0], b = words[1], c = words[2], d = words[3];
      auto* copies = reinterpret_cast<Word*>(target);
      copies[0] = a, copies[1] = b, copies[2] = c, copies[3] = d;
    }
    for (; count >= 4; count -= 4, source += 4, target += 4) *reinterpret_cast<Word*>(target) = *reinterpret_cast<const Word*>(source);
  }
  for (; count >= 4; count -= 4, source += 4, target += 4) {
    const std::int8_t a = source[0], b = source[1], c = source[2], d = source[3];
    target[0] = a, target[1] = b, target[2] = c, target[3] = d;
  }
  for (; count > 0; --count) *target++ = *source++;
}

void fill_run(std::int8_t* target, std::uint32_t pattern, std::uint32_t count) {
  // Bytes before the first word turn the pattern: what is left of it starts the word.
  for (; is_unaligned(address(target)) && count > 0; --count) {
    *target++ = static_cast<std::int8_t>(pattern);
    pattern = pattern >> 8 | pattern << 24;
  }
  for (; count >= 16; count -= 16, target += 16) {
    auto* words = reinterpret_cast<Word*>(target);
    words[0] = pattern, words[1] = pattern, words[2] = pattern, words[3] = pattern;
  }
  for (; count > 0; --count) {
    *target++ = static_cast<std::int8_t>(pattern);
    pattern = pattern >> 8 | pattern << 24;
  }
}

}  // namespace kindling
#endif
