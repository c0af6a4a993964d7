// Unaligned accesses as faults, for tests: what passes then runs on M0, which has no others.
#pragma once

#include <cstdint>

namespace kindling {

/// From here on a word or half-word accessed at an address that is no multiple of its size is a fault. Not for a program that is to
/// use libc's memcpy, which makes such accesses where the core allows them. Does nothing on the host.
inline void trap_unaligned_accesses() {
#if defined(__arm__)
  // Cores without the choice always trap, and read this bit as one; what emulates them may need to be told.
  constexpr std::uintptr_t kCcr = 0xE000ED14;
  constexpr std::uint32_t kUnalignTrap = 1u << 3;
  *reinterpret_cast<volatile std::uint32_t*>(kCcr) |= kUnalignTrap;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
}

}  // namespace kindling
