// How deep the stack has been.
#pragma once

#include <cstdint>

namespace kindling {

/// Bytes of stack used since reset at most: from __stack_top down to the deepest word that no longer holds the pattern that
/// start-up paints the stack with. 0 on the host, where nothing is painted.
uint32_t stack_high_water();

}  // namespace kindling
