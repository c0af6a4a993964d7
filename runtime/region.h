// Memory that a model's tensors are planned into.
#pragma once

#include <cstdint>

#include "runtime/span.h"

namespace kindling {

/// `data` is aligned to 16 bytes.
using Region = Span<uint8_t>;

}  // namespace kindling
