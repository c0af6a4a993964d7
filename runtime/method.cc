#include "runtime/method.h"

#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;
using schema::AllocationDetails, schema::Chain, schema::EValue, schema::ExecutionPlan, schema::Instruction, schema::KernelCall,
    schema::Operator, schema::Tensor;

/// Bytes of an element by ScalarType, up to BOOL; 0 where there is no such type.
constexpr uint8_t kElementBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 0, 0, 0, 1};

/// An instruction that calls a kernel. The last output comes twice, as it is also what the operator returns.
struct Call {
  uint32_t kernel;
  Span<const uint32_t> values;  // by index
};

template <Verification kVerification>
[[gnu::always_inline]] inline Call read_call(FlatbufferReader<kVerification>& reader, Tables instructions, uint32_t i) {
  Table instruction = reader.table(instructions, i);
  bool is_call = reader.u8(instruction, Instruction::VT_INSTR_ARGS_TYPE) == schema::InstructionArguments_KernelCall;
  reader.require(is_call, Error::NotSupported);
  Table call = reader.table(instruction, Instruction::VT_INSTR_ARGS);
  return {reader.u32(call, KernelCall::VT_OP_INDEX), reader.u32s(call, KernelCall::VT_ARGS)};
}

/// Where a tensor lies.
struct Storage {
  uint8_t* data = nullptr;
  uint32_t bytes = 0;
};

/// Finds out, and checks, where the values of a method are.
template <Verification kVerification>
class Binder {
 public:
  using Reader = FlatbufferReader<kVerification>;

  Binder(const Program& program, const KernelTable& kernels, Span<void*> addresses, Span<const Region> regions)
      : reader_(program.flatbuffer()), program_(program), kernels_(kernels), addresses_(addresses), regions_(regions) {}

  Error error() const { return reader_.error(); }

  Table plan(uint32_t method) {
    Table plan = reader_.table(program_.plans(), method);
    values_ = reader_.tables(plan, ExecutionPlan::VT_VALUES);
    reader_.require(values_.size <= addresses_.size, Error::OutOfResources);
    return plan;
  }

  Tables instructions(const Table& plan) {
    Tables chains = reader_.tables(plan, ExecutionPlan::VT_CHAINS);
    reader_.require(chains.size == 1, Error::NotSupported);
    return reader_.tables(reader_.table(chains, 0), Chain::VT_INSTRUCTIONS);
  }

  Span<const uint32_t> indices(const Table& plan, uint32_t slot) { return reader_.u32s(plan, slot); }

  /// Regions are aligned, and as large as planned.
  void require_regions(const Table& plan) {
    Span<const Wide> planned = reader_.u64s(plan, ExecutionPlan::VT_NON_CONST_BUFFER_SIZES);
    if (!reader_.require(planned.size <= regions_.size + 1, Error::OutOfResources)) return;
    for (uint32_t id = 1; id < planned.size; ++id) {
      Region region = regions_[id - 1];
      reader_.require(planned[id].high == 0 && planned[id].low <= region.size, Error::OutOfResources);
      reader_.require(is_aligned(region.data, 16), Error::InvalidArgument);
    }
  }

  /// The method's operators are those of the table.
  void require_operators(const Table& plan) {
    Tables operators = reader_.tables(plan, ExecutionPlan::VT_OPERATORS);
    reader_.require(operators.size == kernels_.count, Error::OperatorMissing);
    const char* expected = kernels_.names;
    for (uint32_t i = 0; i < kernels_.count && error() == Error::Ok; ++i) {
      uint32_t bytes = kernels_.signatures[i].name_bytes;
      Span<const char> name = reader_.text(reader_.table(operators, i), Operator::VT_NAME);
      reader_.require(name.size == bytes && are_equal(name.data, expected, bytes), Error::OperatorMissing);
      expected += bytes / 4 * 4 + 4;
    }
  }

  void bind(Span<const uint32_t> indices, bool written) {
    for (uint32_t index : indices) {
      bind(index);
      if (written) reader_.require(!is_constant(), Error::NotSupported);
    }
  }

  /// Binds what an instruction works on, which must be what its kernel takes.
  [[gnu::noinline]] void bind_instruction(Tables instructions, uint32_t i) {
    Reader reader = reader_;
    Call call = read_call(reader, instructions, i);
    reader_ = reader;
    if (!reader_.require(call.kernel < kernels_.count)) return;
    Signature signature = kernels_.signatures[call.kernel];
    if (!reader_.require(call.values.size == signature.arguments + 1u, Error::InvalidArgument)) return;
    const uint32_t* index = call.values.data;
    uint32_t bytes[kMaxArguments];
    uint32_t* next_bytes = bytes;
    uint32_t wide = signature.wide;
    const void* params = nullptr;
    for (uint32_t k = 0; k < signature.arguments; ++k) {
      bind(*index++);
      *next_bytes++ = last_.bytes;
      if (k == signature.inputs) {
        params = last_.data;
        reader_.require(is_constant() && is_aligned(params, 16), Error::InvalidArgument);
      } else {
        bool fits = (wide & 1) == 0 || is_aligned(last_.data, 8);
        if (k > signature.inputs) fits = fits && !is_constant();
        reader_.require(fits, Error::InvalidArgument);
      }
      wide >>= 1;
    }
    if (kVerification == Verification::kNone || error() != Error::Ok) return;
    Error verdict = kernels_.kernels[call.kernel].check(bytes, params);
    reader_.require(verdict == Error::Ok, verdict);
  }

 private:
  /// Finds value `index`, which must be a tensor in a region or in the constants.
  void bind(uint32_t index) {
    if (index == last_index_ && last_.data != nullptr) return;
    last_index_ = index;
    last_ = storage(index);
    if (last_.data != nullptr) addresses_[index] = last_.data;
  }

  [[gnu::noinline, gnu::flatten]] Storage storage(uint32_t index) {
    Reader reader = reader_;
    Storage found = storage(reader, index);
    if (reader.error() == Error::Ok) return found;
    reader_ = reader;
    return {};
  }

  [[gnu::always_inline]] Storage storage(Reader& reader, uint32_t index) {
    Table value = reader.table(values_, index);
    bool is_tensor = reader.u8(value, EValue::VT_VAL_TYPE) == schema::KernelTypes_Tensor;
    if (!reader.require(is_tensor, Error::InvalidType)) return {};
    Table tensor = reader.table(value, EValue::VT_VAL);
    // It starts where its storage does, and its shape is static.
    if (!reader.require(reader.field(tensor, Tensor::VT_STORAGE_OFFSET, 4) == 0, Error::NotSupported)) return {};
    if (!reader.require(reader.field(tensor, Tensor::VT_SHAPE_DYNAMISM, 1) == 0, Error::NotSupported)) return {};
    uint32_t bytes = tensor_bytes(reader, tensor);

    Span<const uint8_t> home;
    uint32_t offset = 0;
    uint32_t buffer = reader.u32(tensor, Tensor::VT_DATA_BUFFER_IDX);
    Place allocation = reader.field(tensor, Tensor::VT_ALLOCATION_INFO, 4);
    if (!reader.require((allocation == 0) == (buffer != 0), Error::NotSupported)) return {};
    if (allocation != 0) {
      Table details = reader.table_at(allocation);
      uint32_t region = reader.u32(details, AllocationDetails::VT_MEMORY_ID) - 1;
      if (!reader.require(region < regions_.size)) return {};
      home = {regions_[region].data, regions_[region].size};
      offset = reader.u32(details, AllocationDetails::VT_MEMORY_OFFSET_LOW);
      if (!reader.require(reader.field(details, AllocationDetails::VT_MEMORY_OFFSET_HIGH, 4) == 0)) return {};
    } else {
      if (!reader.require(buffer < program_.constant_offsets().size)) return {};
      home = program_.constants();
      offset = program_.constant_offsets()[buffer].low;
      if (!reader.require(program_.constant_offsets()[buffer].high == 0)) return {};
    }
    if (!reader.require(offset <= home.size && bytes <= home.size - offset)) return {};
    return {const_cast<uint8_t*>(home.data) + offset, bytes};
  }

  static uint32_t tensor_bytes(Reader& reader, const Table& tensor) {
    if constexpr (kVerification == Verification::kNone) return 0;
    uint32_t type = reader.u8(tensor, Tensor::VT_SCALAR_TYPE);
    uint32_t bytes = type < sizeof(kElementBytes) ? kElementBytes[type] : 0;
    reader.require(bytes != 0, Error::InvalidType);
    for (uint32_t size : reader.u32s(tensor, Tensor::VT_SIZES)) {
      if (!reader.require(!__builtin_mul_overflow(bytes, size, &bytes))) return 0;
    }
    return bytes;
  }

  bool is_constant() const {
    uintptr_t position = reinterpret_cast<uintptr_t>(last_.data) - reinterpret_cast<uintptr_t>(program_.constants().data);
    return position < program_.constants().size;
  }

  /// Whether two texts, both aligned to 4 bytes, are the same.
  static bool are_equal(const char* a, const char* b, uint32_t bytes) {
    uint32_t i = 0;
    for (; i + 4 <= bytes; i += 4) {
      if (*reinterpret_cast<const uint32_t*>(a + i) != *reinterpret_cast<const uint32_t*>(b + i)) return false;
    }
    while (i < bytes && a[i] == b[i]) ++i;
    return i == bytes;
  }

  Reader reader_;
  const Program& program_;
  const KernelTable& kernels_;
  Span<void*> addresses_;
  Span<const Region> regions_;
  Tables values_;
  // What one instruction writes the next one often reads.
  uint32_t last_index_ = 0;
  Storage last_;
};

}  // namespace

template <Verification kVerification>
Error Method::init(const Program& program, uint32_t method, const KernelTable& kernels, Span<void*> values,
                   Span<const Region> regions) {
  values_ = nullptr;
  next_ = 0;
  if (method >= program.plans().size) return Error::NotFound;
  Binder<kVerification> binder(program, kernels, values, regions);
  Table plan = binder.plan(method);
  binder.require_regions(plan);
  binder.require_operators(plan);
  Tables instructions = binder.instructions(plan);
  Span<const uint32_t> inputs = binder.indices(plan, ExecutionPlan::VT_INPUTS);
  Span<const uint32_t> outputs = binder.indices(plan, ExecutionPlan::VT_OUTPUTS);
  if (binder.error() != Error::Ok) return binder.error();
  binder.bind(inputs, true);
  for (; next_ < instructions.size && binder.error() == Error::Ok; ++next_) binder.bind_instruction(instructions, next_);
  binder.bind(outputs, false);
  if (binder.error() != Error::Ok) return binder.error();
  flatbuffer_ = program.flatbuffer();
  values_ = values.data;
  kernels_ = kernels.kernels;
  instructions_ = instructions;
  inputs_ = inputs;
  outputs_ = outputs;
  next_ = 0;
  return Error::Ok;
}

template Error Method::init<Verification::kNone>(const Program&, uint32_t, const KernelTable&, Span<void*>,
                                                 Span<const Region>);
template Error Method::init<Verification::kStructure>(const Program&, uint32_t, const KernelTable&, Span<void*>,
                                                      Span<const Region>);

Error Method::run() {
  next_ = 0;
  Error error = step(UINT32_MAX);
  return error == Error::EndOfMethod ? Error::Ok : error;
}

[[gnu::flatten]] Error Method::step(uint32_t instructions) {
  if (values_ == nullptr) return Error::InvalidState;
  FlatbufferReader<Verification::kNone> reader(flatbuffer_);  // init has checked all that is read here
  void* arguments[kMaxArguments];
  for (; next_ < instructions_.size; ++next_) {
    if (instructions-- == 0) return Error::Ok;
    Call call = read_call(reader, instructions_, next_);
    for (uint32_t i = 0; i < call.values.size - 1; ++i) arguments[i] = values_[call.values[i]];
    kernels_[call.kernel].run(arguments);
  }
  next_ = 0;
  return Error::EndOfMethod;
}

}  // namespace kindling
