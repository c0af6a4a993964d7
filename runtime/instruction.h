// Instructions, as the loader checks them and the executor runs them.
#pragma once

#include <cstdint>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/schema/program_generated.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// An instruction that calls a kernel. The last output comes twice, as it is also what the operator returns.
struct Call {
  uint32_t kernel;
  Span<const uint32_t> values;  // by index
};

/// Instruction `i`. NotSupported: it is not a call. InvalidProgram: it is damaged.
template <Verification kVerification>
[[gnu::always_inline]] inline Error read_call(const FlatbufferReader<kVerification>& reader, Tables instructions, uint32_t i,
                                              Call& call) {
  using executorch_flatbuffer::Instruction, executorch_flatbuffer::KernelCall;
  Table instruction, table;
  constexpr uint32_t kKernelCall = static_cast<uint32_t>(executorch_flatbuffer::InstructionArguments::KernelCall);
  uint32_t type = kKernelCall;
  bool sound = reader.table(instructions, i, instruction) && reader.table(instruction, Instruction::VT_INSTR_ARGS, table);
  if (kVerification != Verification::kNone) sound = sound && reader.u8(instruction, Instruction::VT_INSTR_ARGS_TYPE, type);
  if (!sound) return Error::InvalidProgram;
  if (type != kKernelCall) return Error::NotSupported;
  sound = reader.u32s(table, KernelCall::VT_ARGS, call.values) && reader.u32(table, KernelCall::VT_OP_INDEX, call.kernel);
  return sound ? Error::Ok : Error::InvalidProgram;
}

/// Calls the kernel of instruction `i`, which init has checked.
[[gnu::always_inline]] inline Error call_kernel(const FlatbufferReader<Verification::kNone>& reader, Tables instructions, uint32_t i,
                                                void* const* addresses, const Kernel* kernels) {
  Call call;
  if (Error error = read_call(reader, instructions, i, call); error != Error::Ok) return error;
  void* arguments[kMaxArguments];
  for (uint32_t k = 0; k < call.values.size - 1; ++k) arguments[k] = addresses[call.values[k]];
  kernels[call.kernel].run(arguments);
  return Error::Ok;
}

}  // namespace kindling
