#include "runtime/firmware/stack.h"

// From the linker script of the board; its start-up fills the stack with the pattern.
extern "C" const uint32_t __stack_limit[], __stack_top[];

namespace kindling {

constexpr uint32_t kPaint = 0xA5A5A5A5;

uint32_t stack_high_water() {
  const uint32_t* deepest = __stack_limit;
  while (deepest < __stack_top && *deepest == kPaint) ++deepest;
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__stack_top) - reinterpret_cast<uintptr_t>(deepest));
}

}  // namespace kindling
