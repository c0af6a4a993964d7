// The parts of a method of a program, as upstream lays it out.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/program.h"
#include "runtime/schema/program_generated.h"
#include "runtime/span.h"

namespace kindling::upstream {

using Reader = FlatbufferReader<Verification::kStructure>;

struct Plan {
  Tables values, operators, instructions;
  Span<const uint32_t> inputs, outputs;  // values by index
  Span<const Wide> planned;              // bytes of each memory by memory_id; 0 is none
};

/// NotFound: no such method. NotSupported: it has more than one chain. InvalidProgram: it is damaged.
inline Error read_plan(const Program& program, uint32_t method, Plan& plan) {
  using executorch_flatbuffer::Chain, executorch_flatbuffer::ExecutionPlan;
  if (method >= program.plans().size) return Error::NotFound;
  Reader reader(program.flatbuffer());
  Table table, chain;
  Tables chains;
  bool sound = reader.table(program.plans(), method, table) && reader.tables(table, ExecutionPlan::VT_VALUES, plan.values) &&
               reader.u32s(table, ExecutionPlan::VT_INPUTS, plan.inputs) &&
               reader.u32s(table, ExecutionPlan::VT_OUTPUTS, plan.outputs) &&
               reader.tables(table, ExecutionPlan::VT_OPERATORS, plan.operators) &&
               reader.u64s(table, ExecutionPlan::VT_NON_CONST_BUFFER_SIZES, plan.planned) &&
               reader.tables(table, ExecutionPlan::VT_CHAINS, chains) && reader.table(chains, 0, chain) &&
               reader.tables(chain, Chain::VT_INSTRUCTIONS, plan.instructions);
  if (!sound) return Error::InvalidProgram;
  return chains.size == 1 ? Error::Ok : Error::NotSupported;
}

}  // namespace kindling::upstream
