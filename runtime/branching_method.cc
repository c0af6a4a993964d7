#include "runtime/branching_method.h"

#include "runtime/bind_method.h"
#include "runtime/binder.h"
#include "runtime/instruction.h"
#include "runtime/schema/program_generated.h"
#include "runtime/tensor.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;
using schema::InstructionArguments, schema::KernelTypes;

/// An instruction of any kind.
struct Step {
  InstructionArguments kind;
  Table arguments;
};

template <Verification kVerification>
bool read_step(const FlatbufferReader<kVerification>& reader, Tables instructions, uint32_t i, Step& step) {
  Table instruction;
  uint32_t kind;
  bool sound = reader.table(instructions, i, instruction) &&
               reader.u8(instruction, schema::Instruction::VT_INSTR_ARGS_TYPE, kind) &&
               reader.table(instruction, schema::Instruction::VT_INSTR_ARGS, step.arguments);
  if (sound) step.kind = static_cast<InstructionArguments>(kind);
  return sound;
}

struct Move {
  uint32_t from;
  uint32_t to;
};

template <Verification kVerification>
bool read_move(const FlatbufferReader<kVerification>& reader, const Table& table, Move& move) {
  return reader.u32(table, schema::MoveCall::VT_MOVE_FROM, move.from) && reader.u32(table, schema::MoveCall::VT_MOVE_TO, move.to);
}

struct Jump {
  uint32_t condition;
  uint32_t destination;
};

template <Verification kVerification>
bool read_jump(const FlatbufferReader<kVerification>& reader, const Table& table, Jump& jump) {
  return reader.u32(table, schema::JumpFalseCall::VT_COND_VALUE_INDEX, jump.condition) &&
         reader.u32(table, schema::JumpFalseCall::VT_DESTINATION_INSTRUCTION, jump.destination);
}

template <Verification kVerification>
bool read_value(const FlatbufferReader<kVerification>& reader, Tables values, uint32_t i, KernelTypes& kind, Table& table) {
  Table value;
  uint32_t number;
  bool sound = reader.table(values, i, value) && reader.u8(value, schema::EValue::VT_VAL_TYPE, number) &&
               reader.table(value, schema::EValue::VT_VAL, table);
  if (sound) kind = static_cast<KernelTypes>(number);
  return sound;
}

template <Verification kVerification>
class BranchingBinder : public Binder<kVerification> {
 public:
  using Binder<kVerification>::Binder;

  Error bind_instruction(Tables instructions, uint32_t i) {
    Step step;
    Move move;
    Jump jump;
    uint32_t freed;
    if (!read_step(this->reader_, instructions, i, step)) return Error::InvalidProgram;
    switch (step.kind) {
      case InstructionArguments::KernelCall:
        return this->bind_call(instructions, i);
      case InstructionArguments::MoveCall:
        return read_move(this->reader_, step.arguments, move) ? bind_move(move) : Error::InvalidProgram;
      case InstructionArguments::JumpFalseCall:
        if (!read_jump(this->reader_, step.arguments, jump) || jump.destination > instructions.size) return Error::InvalidProgram;
        return bind_condition(jump.condition);
      case InstructionArguments::FreeCall: {
        bool sound = this->reader_.u32(step.arguments, schema::FreeCall::VT_VALUE_INDEX, freed) && freed < this->values_.size;
        return sound ? Error::Ok : Error::InvalidProgram;
      }
      default:
        return Error::NotSupported;
    }
  }

 private:
  Error bind_move(Move move) {
    uint32_t from = this->bind(move.from);
    if (from == 0) return this->error_;
    uint32_t to = this->bind(move.to);
    if (to == 0) return this->error_;
    bool fits = (to & kConstant) == 0 && from >> this->kBytesShift == to >> this->kBytesShift;
    if (!fits) return Error::InvalidArgument;
    return ((from ^ to) & kType) == 0 ? Error::Ok : Error::InvalidType;
  }

  Error bind_condition(uint32_t index) {
    KernelTypes kind;
    Table table;
    uint32_t type;
    if (!read_value(this->reader_, this->values_, index, kind, table)) return Error::InvalidProgram;
    if (kind == KernelTypes::Bool) {
      return this->reader_.u8(table, schema::Bool::VT_BOOL_VAL, type) ? Error::Ok : Error::InvalidProgram;
    }
    if (this->bind(index) == 0) return this->error_;
    if (!this->reader_.u8(table, schema::Tensor::VT_SCALAR_TYPE, type)) return Error::InvalidProgram;
    return type == static_cast<uint32_t>(schema::ScalarType::BOOL) ? Error::Ok : Error::InvalidType;
  }
};

using Reader = FlatbufferReader<Verification::kNone>;  // for what init has checked

uint32_t tensor_bytes_of(const Reader& reader, Tables values, uint32_t index) {
  KernelTypes kind;
  Table tensor;
  uint32_t bytes = 0;
  read_value(reader, values, index, kind, tensor);
  tensor_bytes(reader, tensor, bytes);
  return bytes;
}

void copy(const void* from, void* to, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[i];
}

}  // namespace

template <Verification kVerification>
Error BranchingMethod::init(const Program& program, uint32_t method, const Environment& environment) {
  Error error = bind<BranchingBinder<kVerification>>(program, method, environment);
  if (error != Error::Ok) return error;
  Reader reader(program.flatbuffer());
  Table plan;
  reader.table(program.plans(), method, plan);
  reader.tables(plan, schema::ExecutionPlan::VT_VALUES, values_);
  return Error::Ok;
}

Error BranchingMethod::run() {
  next_ = 0;
  Error error = step(kMaxInstructions);
  if (error == Error::EndOfMethod) return Error::Ok;
  return error == Error::Ok ? Error::InvalidProgram : error;
}

Error BranchingMethod::step(uint32_t instructions) {
  if (addresses_ == nullptr) return Error::InvalidState;
  Reader reader(flatbuffer_);
  while (next_ < instructions_.size) {
    if (instructions-- == 0) return Error::Ok;
    Step step;
    read_step(reader, instructions_, next_, step);
    if (step.kind == InstructionArguments::KernelCall) {
      if (Error error = call_kernel(reader, instructions_, next_, addresses_, kernels_); error != Error::Ok) return error;
    } else if (step.kind == InstructionArguments::MoveCall) {
      Move move;
      read_move(reader, step.arguments, move);
      copy(addresses_[move.from], addresses_[move.to], tensor_bytes_of(reader, values_, move.to));
    } else if (step.kind == InstructionArguments::JumpFalseCall) {
      Jump jump;
      read_jump(reader, step.arguments, jump);
      if (!is_true(jump.condition)) {
        next_ = jump.destination;
        continue;
      }
    }
    ++next_;
  }
  next_ = 0;
  return Error::EndOfMethod;
}

bool BranchingMethod::is_true(uint32_t value) const {
  Reader reader(flatbuffer_);
  KernelTypes kind;
  Table table;
  read_value(reader, values_, value, kind, table);
  if (kind == KernelTypes::Bool) {
    uint32_t flag;
    reader.u8(table, schema::Bool::VT_BOOL_VAL, flag);
    return flag != 0;
  }
  uint32_t bytes = 0;
  tensor_bytes(reader, table, bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (static_cast<const uint8_t*>(addresses_[value])[i] == 0) return false;
  }
  return true;
}

template Error BranchingMethod::init<Verification::kNone>(const Program&, uint32_t, const Environment&);
template Error BranchingMethod::init<Verification::kStructure>(const Program&, uint32_t, const Environment&);
template Error BranchingMethod::init<Verification::kFull>(const Program&, uint32_t, const Environment&);

}  // namespace kindling
