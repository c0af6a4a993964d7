// A method's initialisation, with whatever binder; included where it is instantiated.
#pragma once

#include "runtime/method.h"
#include "runtime/schema/program_generated.h"

namespace kindling {

/// Regions are aligned, and as large as planned.
inline Error check_regions(Span<const Wide> planned, Span<const Region> regions) {
  if (planned.size > regions.size + 1) return Error::OutOfResources;
  for (uint32_t id = 1; id < planned.size; ++id) {
    Region region = regions[id - 1];
    if (!is_aligned(region.data, 16)) return Error::InvalidArgument;
    if (planned[id].high != 0 || planned[id].low > region.size) return Error::OutOfResources;
  }
  return Error::Ok;
}

template <class AnyBinder>
Error Method::bind(const Program& program, uint32_t method, const Environment& environment) {
  using executorch_flatbuffer::Chain, executorch_flatbuffer::ExecutionPlan;
  constexpr Verification kVerification = AnyBinder::kLevel;
  addresses_ = nullptr;
  next_ = 0;
  if (method >= program.plans().size) return Error::NotFound;
  FlatbufferReader<kVerification> reader(program.flatbuffer());
  Table plan, chain;
  Tables values, operators, chains;
  Span<const Wide> planned;
  bool sound = reader.table(program.plans(), method, plan) && reader.tables(plan, ExecutionPlan::VT_VALUES, values) &&
               reader.u32s(plan, ExecutionPlan::VT_INPUTS, inputs_) && reader.u32s(plan, ExecutionPlan::VT_OUTPUTS, outputs_) &&
               reader.tables(plan, ExecutionPlan::VT_OPERATORS, operators) &&
               reader.u64s(plan, ExecutionPlan::VT_NON_CONST_BUFFER_SIZES, planned) &&
               reader.tables(plan, ExecutionPlan::VT_CHAINS, chains) && reader.table(chains, 0, chain) &&
               reader.tables(chain, Chain::VT_INSTRUCTIONS, instructions_);
  if (!sound) return Error::InvalidProgram;
  if constexpr (kVerification != Verification::kNone) {
    if (chains.size != 1) return Error::NotSupported;
    if (values.size > environment.addresses.size) return Error::OutOfResources;
    if (Error error = check_regions(planned, environment.regions); error != Error::Ok) return error;
  }
  AnyBinder binder(program, values, environment);
  if (Error error = binder.check_operators(operators); error != Error::Ok) return error;
  for (; next_ < instructions_.size; ++next_) {
    if (Error error = binder.bind_instruction(instructions_, next_); error != Error::Ok) return error;
  }
  if (Error error = binder.bind_all(inputs_, environment.inputs, true); error != Error::Ok) return error;
  if (Error error = binder.bind_all(outputs_, environment.outputs, false); error != Error::Ok) return error;
  if constexpr (kVerification == Verification::kFull) {
    if (Error error = binder.bind_rest(); error != Error::Ok) return error;
  }
  flatbuffer_ = program.flatbuffer();
  addresses_ = environment.addresses.data;
  kernels_ = environment.kernels.kernels;
  next_ = 0;
  return Error::Ok;
}

}  // namespace kindling
