// How the runtime calls a kernel, and checks the call once at load.
//
// A kernel proper has a typed signature, the same on every tier:
//   void conv2d_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output);
// The firmware's generated table holds, for each kernel its model uses, an adaptor to the untyped form below; nothing
// else refers to a kernel, so the linker leaves out all others. What the generator writes is `kernel_entry` in
// kernels/signature.py.
#pragma once

#include <cstdint>

#include "runtime/error.h"

namespace kindling {

/// Runs one instruction. `arguments` are the addresses of its tensors, in the instruction's order:
/// inputs, params, scratch (only if the kernel takes one), outputs. The call has passed its `KernelCheck`.
///
/// Alignment: params 16 bytes, scratch 8, float tensors 4, int8 tensors none.
using KernelFunction = void (*)(void* const* arguments);

/// Judges one instruction at load. `argument_bytes[i]` is the size of the tensor behind `arguments[i]`; `params` is the
/// params constant itself. Error::Ok means that with tensors of these sizes the kernel reads and writes only inside them.
/// Error::InvalidArgument: a size, a parameter or an alignment does not fit. Never reads past argument_bytes of `params`.
using KernelCheck = Error (*)(const std::uint32_t* argument_bytes, const void* params);

/// One row of a firmware's kernel table.
struct Kernel {
  KernelFunction run;
  KernelCheck check;
};

}  // namespace kindling
