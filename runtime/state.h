// What a method remembers from one run to the next: its mutable buffers.
#pragma once

#include <cstdint>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/program.h"

namespace kindling {

/// Puts the state of method number `method` back to where it starts: all of `environment.state` to zero, then each mutable buffer that
/// has a first value to that. To be called after the method was initialised with this environment, before its first run; and
/// whenever a new stream begins. Methods of one program may share state; then each of them is to be reset, or only one.
///
/// NotFound: no such method. NotSupported: a first value for a tensor outside of the state. InvalidProgram: it is damaged; the state
/// holds zeros, or some of the first values.
Error reset_state(const Program& program, uint32_t method, const Environment& environment);

}  // namespace kindling
