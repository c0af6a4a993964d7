// How much stack a firmware has used so far.

#pragma once

#include <cstddef>
#include <cstdint>

namespace kindling {

// What the start-up code fills the unused stack with.
inline constexpr uint32_t kStackPaint = 0x5AC3A53C;

// Bytes from the top of the stack to the lowest word that was ever written (with anything but the paint).
size_t stack_high_water();

}  // namespace kindling
