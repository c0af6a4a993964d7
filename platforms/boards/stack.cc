#include "platforms/boards/stack.h"

extern "C" const uint32_t __stack_limit[], __stack_top[];

namespace kindling {

size_t stack_high_water() {
  const uint32_t* word = __stack_limit;
  while (word < __stack_top && *word == kStackPaint) ++word;
  return static_cast<size_t>(__stack_top - word) * sizeof(uint32_t);
}

}  // namespace kindling
