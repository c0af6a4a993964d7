#include "runtime/binder.h"

#include "runtime/instruction.h"
#include "runtime/schema/program_generated.h"
#include "runtime/tensor.h"

namespace kindling {
namespace {

using executorch_flatbuffer::AllocationDetails, executorch_flatbuffer::EValue, executorch_flatbuffer::Operator,
    executorch_flatbuffer::Tensor;

constexpr uint32_t kTensor = static_cast<uint32_t>(executorch_flatbuffer::KernelTypes::Tensor);

/// Whether two texts, each in words of its own, are the same.
bool are_equal(const char* a, const char* b, uint32_t bytes) {
  auto word = [](const char* text, uint32_t i) { return *reinterpret_cast<const uint32_t*>(text + i); };
  uint32_t i = 0;
  for (; i + 4 <= bytes; i += 4) {
    if (word(a, i) != word(b, i)) return false;
  }
  return bytes == i || (word(a, i) ^ word(b, i)) << (32 - 8 * (bytes - i)) == 0;
}

/// Whether sizes are not negative, and the order of the dimensions in memory names each of them once.
bool is_shape(const FlatbufferReader<Verification::kFull>& reader, const Table& tensor) {
  Span<const uint32_t> sizes;
  Span<const uint8_t> order;
  if (!reader.u32s(tensor, Tensor::VT_SIZES, sizes) || !reader.u8s(tensor, Tensor::VT_DIM_ORDER, order)) return false;
  if (sizes.size != order.size || sizes.size > 32) return false;
  uint32_t missing = 0;
  for (uint32_t i = 0; i < sizes.size; ++i) {
    if (sizes[i] >> 31 != 0 || order[i] >= sizes.size) return false;
    missing |= 1u << i;
  }
  for (uint8_t dimension : order) missing &= ~(1u << dimension);
  return missing == 0;
}

}  // namespace

template <Verification kVerification>
Binder<kVerification>::Binder(const Program& program, Tables values, const Environment& environment)
    : reader_(program.flatbuffer()),
      program_(program),
      environment_(environment),
      regions_(environment.regions),
      addresses_(environment.addresses.data),
      values_(values) {
  // The regions hold nothing yet: if there is room in the first, that is where notes on values are kept.
  if (regions_.size == 0 || regions_[0].size / sizeof(uint32_t) < values.size) return;
  notes_ = {reinterpret_cast<uint32_t*>(regions_[0].data), values.size};
  for (uint32_t& note : notes_) note = 0;
}

template <Verification kVerification>
Error Binder<kVerification>::check_operators(Tables operators) const {
  if constexpr (kVerification == Verification::kNone) return Error::Ok;
  const KernelTable& kernels = environment_.kernels;
  if (operators.size != kernels.count) return Error::OperatorMissing;
  const char* expected = kernels.names;
  for (uint32_t i = 0; i < kernels.count; ++i) {
    Table table;
    Span<const char> name;
    if (!reader_.table(operators, i, table) || !reader_.text(table, Operator::VT_NAME, name)) return Error::InvalidProgram;
    uint32_t bytes = kernels.signatures[i].name_bytes;
    if (name.size != bytes || !are_equal(name.data, expected, bytes)) return Error::OperatorMissing;
    expected += bytes / 4 * 4 + 4;
  }
  return Error::Ok;
}

template <Verification kVerification>
[[gnu::always_inline]] inline uint32_t Binder<kVerification>::bind(uint32_t index) {
  bool is_known = index < notes_.size && notes_[index] != 0;
  return is_known ? notes_[index] : find(index);
}

template <Verification kVerification>
Error Binder<kVerification>::bind_call(Tables instructions, uint32_t i) {
  Call call;
  if (Error error = read_call(reader_, instructions, i, call); error != Error::Ok) return error;
  if constexpr (kVerification == Verification::kNone) {
    for (uint32_t index : call.values) bind(index);
    return Error::Ok;
  }
  const KernelTable& kernels = environment_.kernels;
  if (call.kernel >= kernels.count) return Error::InvalidProgram;
  Signature signature = kernels.signatures[call.kernel];
  if (call.values.size != signature.count + 1u) return Error::InvalidArgument;
  uint32_t bytes[kMaxArguments];
  uint32_t any_type = 0;
  for (uint32_t k = 0; k < signature.count; ++k) {
    uint32_t note = bind(call.values[k]);
    if (note == 0) return error_;
    bytes[k] = note >> kBytesShift;
    Argument argument = signature.arguments[k];
    if (argument.is_of_any_type()) {
      if (k == 0) any_type = note;
      argument = argument.of_type(any_type);
    }
    uint32_t wrong = argument.wrong_in(note);
    if (wrong != 0) return (wrong & kType) != 0 ? Error::InvalidType : Error::InvalidArgument;
  }
  return kernels.kernels[call.kernel].check(bytes, addresses_[call.values[signature.inputs]]);
}

template <Verification kVerification>
Error Binder<kVerification>::bind_all(Span<const uint32_t> indices, Span<const Port> ports, bool written) {
  constexpr bool kVerify = kVerification != Verification::kNone;
  if (kVerify && indices.size != ports.size) return Error::InvalidArgument;
  for (uint32_t i = 0; i < indices.size; ++i) {
    uint32_t note = bind(indices[i]);
    if constexpr (!kVerify) continue;
    if (note == 0) return error_;
    if ((note & kType) != trait_of(ports[i].type)) return Error::InvalidType;
    if (!has_shape(indices[i], ports[i].shape)) return Error::InvalidArgument;
    if (written && (note & kConstant) != 0) return Error::NotSupported;
  }
  return Error::Ok;
}

/// Of a tensor that is bound.
template <Verification kVerification>
bool Binder<kVerification>::has_shape(uint32_t index, Span<const uint32_t> shape) const {
  FlatbufferReader<Verification::kNone> reader(program_.flatbuffer());
  Table value, tensor;
  Span<const uint32_t> sizes;
  reader.table(values_, index, value);
  reader.table(value, EValue::VT_VAL, tensor);
  reader.u32s(tensor, Tensor::VT_SIZES, sizes);
  if (sizes.size != shape.size) return false;
  for (uint32_t i = 0; i < shape.size; ++i) {
    if (sizes[i] != shape[i]) return false;
  }
  return true;
}

template <Verification kVerification>
Error Binder<kVerification>::bind_rest()
  requires(kVerification == Verification::kFull)
{
  for (uint32_t i = 0; i < values_.size; ++i) {
    Table value, tensor;
    uint32_t kind;
    bool sound = reader_.table(values_, i, value) && reader_.u8(value, EValue::VT_VAL_TYPE, kind);
    if (!sound) return Error::InvalidProgram;
    if (kind != kTensor) continue;
    if (bind(i) == 0) return error_;
    if (!reader_.table(value, EValue::VT_VAL, tensor) || !is_shape(reader_, tensor)) return Error::InvalidProgram;
  }
  return Error::Ok;
}

/// Finds a tensor in its region or in the constants.
template <Verification kVerification>
[[gnu::noinline]] uint32_t Binder<kVerification>::find(uint32_t index) {
  constexpr bool kVerify = kVerification != Verification::kNone;
  Table value, tensor;
  uint32_t kind = kTensor;
  bool sound = reader_.table(values_, index, value) && reader_.table(value, EValue::VT_VAL, tensor) &&
               (!kVerify || reader_.u8(value, EValue::VT_VAL_TYPE, kind));
  if (!sound) return fail(Error::InvalidProgram);
  if (kind != kTensor) return fail(Error::InvalidType);
  // It must have a static shape and start where its storage does.
  bool plain = reader_.is_absent(tensor, Tensor::VT_SHAPE_DYNAMISM) && reader_.is_absent(tensor, Tensor::VT_STORAGE_OFFSET);
  if (kVerify && !plain) return fail(Error::NotSupported);

  Span<const uint8_t> home;
  uint32_t offset, buffer;
  bool is_constant = reader_.is_absent(tensor, Tensor::VT_ALLOCATION_INFO);
  if (is_constant) {
    sound = reader_.u32(tensor, Tensor::VT_DATA_BUFFER_IDX, buffer);
    Span<const Wide> offsets = program_.constant_offsets();
    if (kVerify && (!sound || buffer >= offsets.size || offsets[buffer].high != 0)) return fail(Error::InvalidProgram);
    if (kVerify && buffer == 0) return fail(Error::NotSupported);
    offset = offsets[buffer].low;
    home = program_.constants();
  } else {
    Table details;
    uint32_t region;
    sound = reader_.table(tensor, Tensor::VT_ALLOCATION_INFO, details) &&
            reader_.u32(details, AllocationDetails::VT_MEMORY_OFFSET_LOW, offset) &&
            reader_.u32(details, AllocationDetails::VT_MEMORY_ID, region);
    if (kVerify && (!sound || region - 1 >= regions_.size)) return fail(Error::InvalidProgram);
    home = {regions_[region - 1].data, regions_[region - 1].size};
    // Only state has a first value.
    bool plain = reader_.is_absent(details, AllocationDetails::VT_MEMORY_OFFSET_HIGH) &&
                 (reader_.is_absent(tensor, Tensor::VT_DATA_BUFFER_IDX) || home.data == environment_.state.data);
    if (kVerify && !plain) return fail(Error::NotSupported);
  }
  uint8_t* address = const_cast<uint8_t*>(home.data) + offset;
  uint32_t note = kAligned;
  if constexpr (kVerify) {
    Extent extent;
    sound = read_extent(reader_, tensor, extent) && lies_in(home.size, offset, extent.bytes);
    if (!sound) return fail(Error::InvalidProgram);
    note = extent.bytes << kBytesShift | extent.elements.traits | (extent.sizes.size << kRankShift & kRank);
    if (is_aligned(address, 16)) note |= kAligned;
    if (is_constant) note |= kConstant;
  }
  addresses_[index] = address;
  if (index < notes_.size) notes_[index] = note;
  return note;
}

template <Verification kVerification>
uint32_t Binder<kVerification>::fail(Error error) {
  error_ = error;
  return 0;
}

template class Binder<Verification::kNone>;
template class Binder<Verification::kStructure>;
template class Binder<Verification::kFull>;

}  // namespace kindling
