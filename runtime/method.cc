#include "runtime/method.h"

#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;

/// Bytes of an element by ScalarType, up to BOOL; 0 where there is no such type.
constexpr uint8_t kElementBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 0, 0, 0, 1};

/// Where a tensor lies.
struct Storage {
  uint8_t* data = nullptr;
  uint32_t bytes = 0;
  bool constant = false;
};

/// Reads the part of the flatbuffer that makes a method.
template <Verification kVerification>
class Loader : public FlatbufferReader<kVerification> {
 public:
  Loader(const Program& program, uint32_t method, Span<const Region> regions)
      : FlatbufferReader<kVerification>(program.flatbuffer()),
        program_(program),
        regions_(regions),
        plan_(this->table(program.plans(), method)),
        values_(plan_vector<Offset>(schema::ExecutionPlan::VT_VALUES)) {}

  template <typename T>
  Span<const T> plan_vector(uint32_t slot) {
    return this->template vector<T>(plan_, slot);
  }

  uint32_t value_count() const { return values_.size; }

  Span<const Offset> instructions() {
    auto chains = plan_vector<Offset>(schema::ExecutionPlan::VT_CHAINS);
    this->require(chains.size == 1, Error::NotSupported);
    return this->template vector<Offset>(this->table(chains, 0), schema::Chain::VT_INSTRUCTIONS);
  }

  /// Regions are aligned and as large as planned.
  void require_regions() {
    auto planned = plan_vector<uint64_t>(schema::ExecutionPlan::VT_NON_CONST_BUFFER_SIZES);
    if (!this->require(planned.size <= regions_.size + 1, Error::OutOfResources)) return;
    for (uint32_t id = 1; id < planned.size; ++id) {
      Region region = regions_[id - 1];
      this->require(planned[id] <= region.size, Error::OutOfResources);
      this->require(is_aligned(region.data, 16), Error::InvalidArgument);
    }
  }

  /// The method's operators are those of `kernels`.
  void require_operators(const KernelTable& kernels) {
    auto operators = plan_vector<Offset>(schema::ExecutionPlan::VT_OPERATORS);
    this->require(operators.size == kernels.count, Error::OperatorMissing);
    const char* expected = kernels.names;
    for (uint32_t i = 0; i < kernels.count && this->error() == Error::Ok; ++i) {
      for (char c : this->template vector<char>(this->table(operators, i), schema::Operator::VT_NAME)) {
        if (!this->require(c == *expected++, Error::OperatorMissing)) return;
      }
      this->require(*expected++ == '\0', Error::OperatorMissing);
    }
  }

  /// Where value `index`, which must be a tensor, lies: inside its region or the constants.
  Storage storage(uint32_t index) {
    Place value = this->table(values_, index);
    auto type = this->template scalar<uint8_t>(value, schema::EValue::VT_VAL_TYPE);
    this->require(type == static_cast<uint8_t>(schema::KernelTypes::Tensor), Error::InvalidType);
    if (this->error() != Error::Ok) return {};
    Place tensor = this->table(value, schema::EValue::VT_VAL);
    // Nothing but a static tensor that starts where its storage does.
    this->require(this->field(tensor, schema::Tensor::VT_STORAGE_OFFSET, 4) == nullptr, Error::NotSupported);
    this->require(this->field(tensor, schema::Tensor::VT_SHAPE_DYNAMISM, 1) == nullptr, Error::NotSupported);

    Storage storage;
    storage.bytes = bytes(tensor);
    auto buffer = this->template scalar<uint32_t>(tensor, schema::Tensor::VT_DATA_BUFFER_IDX);
    Place allocation = this->field(tensor, schema::Tensor::VT_ALLOCATION_INFO, sizeof(Offset));
    storage.constant = allocation == nullptr;
    this->require(storage.constant == (buffer != 0), Error::NotSupported);
    Span<const uint8_t> home;
    uint64_t offset;
    if (storage.constant) {
      home = program_.constants();
      offset = this->require(buffer < program_.constant_offsets().size) ? program_.constant_offsets()[buffer] : 0;
    } else {
      Place place = this->table(allocation);
      uint32_t region = this->template scalar<uint32_t>(place, schema::AllocationDetails::VT_MEMORY_ID) - 1;
      if (this->require(region < regions_.size)) home = {regions_[region].data, regions_[region].size};
      offset = this->template scalar<uint32_t>(place, schema::AllocationDetails::VT_MEMORY_OFFSET_LOW);
      this->require(this->field(place, schema::AllocationDetails::VT_MEMORY_OFFSET_HIGH, 4) == nullptr);
    }
    if (this->require(offset <= home.size && storage.bytes <= home.size - offset)) {
      storage.data = const_cast<uint8_t*>(home.data + offset);
    }
    return storage;
  }

 private:
  uint32_t bytes(Place tensor) {
    if constexpr (kVerification == Verification::kNone) return 0;
    auto type = this->template scalar<uint8_t>(tensor, schema::Tensor::VT_SCALAR_TYPE);
    uint32_t bytes = type < sizeof(kElementBytes) ? kElementBytes[type] : 0;
    this->require(bytes != 0, Error::InvalidType);
    for (uint32_t size : this->template vector<uint32_t>(tensor, schema::Tensor::VT_SIZES)) {
      this->require(!__builtin_mul_overflow(bytes, size, &bytes));
    }
    return bytes;
  }

  const Program& program_;
  Span<const Region> regions_;
  Place plan_;
  Span<const Offset> values_;
};

/// A KernelCall.
struct Call {
  uint32_t kernel;
  Span<const uint32_t> arguments;  // indices of values; the last output comes twice, as it is also what the operator returns
};

template <Verification kVerification>
inline Call read_call(FlatbufferReader<kVerification>& reader, Span<const Offset> instructions, uint32_t i) {
  Place instruction = reader.table(instructions, i);
  auto type = reader.template scalar<uint8_t>(instruction, schema::Instruction::VT_INSTR_ARGS_TYPE);
  reader.require(type == static_cast<uint8_t>(schema::InstructionArguments::KernelCall), Error::NotSupported);
  Place call = reader.table(instruction, schema::Instruction::VT_INSTR_ARGS);
  return {reader.template scalar<uint32_t>(call, schema::KernelCall::VT_OP_INDEX),
          reader.template vector<uint32_t>(call, schema::KernelCall::VT_ARGS)};
}

}  // namespace

template <Verification kVerification>
Error Method::init(const Program& program, uint32_t method, const KernelTable& kernels, Span<void*> values,
                   Span<const Region> regions) {
  *this = Method();
  if (method >= program.plans().size) return Error::NotFound;
  Loader<kVerification> loader(program, method, regions);
  loader.require(loader.value_count() <= values.size, Error::OutOfResources);
  loader.require_regions();
  loader.require_operators(kernels);
  auto instructions = loader.instructions();
  auto inputs = loader.template plan_vector<uint32_t>(schema::ExecutionPlan::VT_INPUTS);
  auto outputs = loader.template plan_vector<uint32_t>(schema::ExecutionPlan::VT_OUTPUTS);
  if (loader.error() != Error::Ok) return loader.error();

  Storage storage;  // of value `last`, if any: what one instruction writes the next one often reads
  uint32_t last = 0;
  for (; next_ < instructions.size; ++next_) {
    Call call = read_call(loader, instructions, next_);
    if (!loader.require(call.kernel < kernels.count)) return loader.error();
    Signature signature = kernels.signatures[call.kernel];
    if (!loader.require(call.arguments.size == signature.arguments + 1u, Error::InvalidArgument)) return loader.error();
    uint32_t bytes[kMaxArguments];
    for (uint32_t i = 0; i < signature.arguments; ++i) {
      uint32_t index = call.arguments[i];
      if (index != last || storage.data == nullptr) storage = loader.storage(index);
      last = index;
      bool fits = i < signature.inputs || storage.constant == (i == signature.inputs);
      uint32_t alignment = storage.constant ? 16 : signature.wide >> i & 1 ? 8 : 1;
      loader.require(fits && is_aligned(storage.data, alignment), Error::InvalidArgument);
      if (loader.error() != Error::Ok) return loader.error();
      values[index] = storage.data;
      bytes[i] = storage.bytes;
    }
    if constexpr (kVerification != Verification::kNone) {
      const void* params = values[call.arguments[signature.inputs]];
      Error error = kernels.kernels[call.kernel].check(bytes, params);
      if (error != Error::Ok) return error;
    }
  }
  for (uint32_t index : inputs) {
    storage = loader.storage(index);
    loader.require(!storage.constant, Error::NotSupported);
    if (loader.error() != Error::Ok) return loader.error();
    values[index] = storage.data;
  }
  for (uint32_t index : outputs) {
    storage = loader.storage(index);
    if (loader.error() != Error::Ok) return loader.error();
    values[index] = storage.data;
  }
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

Error Method::step(uint32_t instructions) {
  if (values_ == nullptr) return Error::InvalidState;
  FlatbufferReader<Verification::kNone> reader({});  // init has checked all that is read here
  void* arguments[kMaxArguments];
  for (; next_ < instructions_.size; ++next_) {
    if (instructions-- == 0) return Error::Ok;
    Call call = read_call(reader, instructions_, next_);
    for (uint32_t i = 0; i < call.arguments.size - 1; ++i) arguments[i] = values_[call.arguments[i]];
    kernels_[call.kernel].run(arguments);
  }
  next_ = 0;
  return Error::EndOfMethod;
}

}  // namespace kindling
