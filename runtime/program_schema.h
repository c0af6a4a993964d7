// ExecuTorch's Program as a table for is_flatbuffer().
#pragma once

#include "runtime/flatbuffer_verifier.h"

namespace kindling {

extern const Schema kProgramSchema;

}  // namespace kindling
