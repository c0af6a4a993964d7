// Errors in words, for hosts and for boards with a console. A firmware that does not ask for them does not hold them.
#pragma once

#include "runtime/error.h"

namespace kindling {

/// What an error means, one line without a full stop, never null.
const char* error_text(Error error);

}  // namespace kindling
