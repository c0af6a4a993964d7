#include "runtime/firmware/stack.h"

namespace kindling {

uint32_t stack_high_water() { return 0; }

}  // namespace kindling
