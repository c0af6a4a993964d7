#include "runtime/upstream/method.h"

#include "runtime/instruction.h"
#include "runtime/tensor.h"
#include "runtime/upstream/plan.h"

namespace kindling::upstream {
namespace {

Error read_name(const Reader& reader, Tables operators, uint32_t index, OperatorName& name) {
  using executorch_flatbuffer::Operator;
  Table table;
  bool sound = reader.table(operators, index, table) && reader.text(table, Operator::VT_NAME, name.name) &&
               reader.text(table, Operator::VT_OVERLOAD, name.overload);
  return sound ? Error::Ok : Error::InvalidProgram;
}

/// Whether `text` goes on with `part`; if so, moves it behind.
bool skip(const char*& text, Span<const char> part) {
  for (char letter : part) {
    if (letter == 0 || *text++ != letter) return false;
  }
  return true;
}

bool is_called(const char* text, const OperatorName& name) {
  constexpr char kDot[] = {'.'};
  return skip(text, name.name) && (name.overload.size == 0 || (skip(text, kDot) && skip(text, name.overload))) && *text == 0;
}

Error check_regions(Span<const Wide> planned, Span<const Region> regions) {
  if (planned.size > regions.size + 1) return Error::OutOfResources;
  for (uint32_t id = 1; id < planned.size; ++id) {
    if (!is_aligned(regions[id - 1].data, 16)) return Error::InvalidArgument;
    if (planned[id].high != 0 || planned[id].low > regions[id - 1].size) return Error::OutOfResources;
  }
  return Error::Ok;
}

/// Finds inputs or outputs. `ports` is null if there is no room for them.
Error bind_ports(const Values& values, Span<const uint32_t> indices, Span<const Port> expected, bool written, void** ports) {
  if (indices.size != expected.size) return Error::InvalidArgument;
  for (uint32_t i = 0; i < indices.size; ++i) {
    Tensor tensor;
    if (Error error = values.tensor(indices[i], tensor); error != Error::Ok) return error;
    const Port& port = expected[i];
    if (kElements[static_cast<uint32_t>(tensor.type)].traits != trait_of(port.type)) return Error::InvalidType;
    // The port's shape is in the order of memory.
    uint32_t count = 1;
    for (uint32_t size : port.shape) count *= size;
    if (tensor.rank != port.shape.size || tensor.count != count) return Error::InvalidArgument;
    if (written && tensor.is_constant) return Error::NotSupported;
    if (ports != nullptr) ports[i] = tensor.data;
  }
  return Error::Ok;
}

}  // namespace

Error find_operator_name(const Program& program, uint32_t method, uint32_t instruction, OperatorName& name) {
  Reader reader(program.flatbuffer());
  Plan plan;
  kindling::Call call;
  if (Error error = read_plan(program, method, plan); error != Error::Ok) return error;
  if (instruction >= plan.instructions.size) return Error::NotFound;
  if (Error error = read_call(reader, plan.instructions, instruction, call); error != Error::Ok) return error;
  return read_name(reader, plan.operators, call.kernel, name);
}

Error Method::prepare(const Program& program, uint32_t method, const Environment& environment) {
  ports_ = nullptr;
  first_ = next_ = nullptr;
  failed_instruction_ = arena_bytes_ = 0;
  Reader reader(program.flatbuffer());
  Plan plan;
  if (Error error = read_plan(program, method, plan); error != Error::Ok) return error;
  if (Error error = check_regions(plan.planned, environment.regions); error != Error::Ok) return error;
  if (!is_aligned(environment.arena.data, alignof(void*))) return Error::InvalidArgument;

  Values values(program, plan.values, environment.regions);
  Arena arena(environment.arena);
  const Step** last = &first_;
  for (; failed_instruction_ < plan.instructions.size; ++failed_instruction_) {
    kindling::Call call;
    OperatorName name;
    if (Error error = read_call(reader, plan.instructions, failed_instruction_, call); error != Error::Ok) return error;
    if (Error error = read_name(reader, plan.operators, call.kernel, name); error != Error::Ok) return error;
    const Operator* found = nullptr;
    for (const Operator* candidate : environment.operators) {
      if (is_called(candidate->name, name)) found = candidate;
    }
    if (found == nullptr) return Error::OperatorMissing;
    // The last argument is what the operator returns, once more.
    if (call.values.size != found->arguments + 1) return Error::InvalidArgument;
    Call arguments(values, call.values, arena, failed_instruction_, &last);
    if (Error error = found->prepare(arguments); error != Error::Ok) return error;
  }
  void** ports = arena.take<void*>(plan.inputs.size + plan.outputs.size);
  inputs_ = plan.inputs.size;
  Error error = bind_ports(values, plan.inputs, environment.inputs, true, ports);
  void** outputs = ports == nullptr ? nullptr : ports + inputs_;
  if (error == Error::Ok) error = bind_ports(values, plan.outputs, environment.outputs, false, outputs);
  if (error != Error::Ok) return error;
  arena_bytes_ = arena.used();
  if (arena.is_exhausted()) return Error::OutOfResources;
  ports_ = ports;
  next_ = first_;
  return Error::Ok;
}

Error Method::run() {
  next_ = first_;
  Error error = step(UINT32_MAX);
  return error == Error::EndOfMethod ? Error::Ok : error;
}

Error Method::step(uint32_t instructions) {
  if (ports_ == nullptr) return Error::InvalidState;
  while (next_ != nullptr) {
    if (instructions-- == 0) return Error::Ok;
    const uint32_t instruction = next_->instruction;
    for (; next_ != nullptr && next_->instruction == instruction; next_ = next_->next) next_->run(*next_);
  }
  next_ = first_;
  return Error::EndOfMethod;
}

}  // namespace kindling::upstream
