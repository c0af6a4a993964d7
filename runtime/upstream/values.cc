#include "runtime/upstream/values.h"

#include "runtime/schema/program_generated.h"

namespace kindling::upstream {
namespace {

namespace schema = executorch_flatbuffer;

uint32_t bytes_of(ScalarType type) {
  switch (type) {
    case ScalarType::kByte:
    case ScalarType::kChar:
    case ScalarType::kBool:
      return 1;
    case ScalarType::kShort:
      return 2;
    case ScalarType::kInt:
    case ScalarType::kFloat:
      return 4;
    case ScalarType::kLong:
    case ScalarType::kDouble:
      return 8;
  }
  return 0;
}

/// Sets the strides of sizes whose dimensions lie in `order`, the outermost first. Says whether it is an order.
bool set_strides(Span<const uint8_t> order, Tensor& tensor) {
  if (order.size != tensor.rank) return false;
  uint32_t stride = 1, seen = 0;
  for (uint32_t i = tensor.rank; i-- > 0;) {
    uint32_t axis = order[i];
    if (axis >= tensor.rank || (seen >> axis & 1) != 0) return false;
    seen |= 1u << axis;
    tensor.strides[axis] = stride;
    stride *= tensor.sizes[axis];
  }
  return true;
}

}  // namespace

Error Values::value(uint32_t index, Kind& kind, Table& table) const {
  Table value;
  uint32_t number;
  bool sound = reader_.table(values_, index, value) && reader_.u8(value, schema::EValue::VT_VAL_TYPE, number) &&
               reader_.table(value, schema::EValue::VT_VAL, table);
  if (!sound) return Error::InvalidProgram;
  kind = static_cast<Kind>(number);
  return Error::Ok;
}

Error Values::tensor(uint32_t index, Tensor& tensor) const {
  Kind kind;
  uint32_t type;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  if (kind != Kind::Tensor) return Error::InvalidType;
  Span<const uint32_t> sizes;
  Span<const uint8_t> order;
  bool sound = reader_.u8(table, schema::Tensor::VT_SCALAR_TYPE, type) && reader_.u32s(table, schema::Tensor::VT_SIZES, sizes) &&
               reader_.u8s(table, schema::Tensor::VT_DIM_ORDER, order);
  if (!sound) return Error::InvalidProgram;
  tensor.type = static_cast<ScalarType>(type);
  tensor.element_bytes = bytes_of(tensor.type);
  bool is_plain = reader_.is_absent(table, schema::Tensor::VT_SHAPE_DYNAMISM) &&
                  reader_.is_absent(table, schema::Tensor::VT_STORAGE_OFFSET) && sizes.size <= kMaxRank &&
                  tensor.element_bytes != 0;
  if (!is_plain) return Error::NotSupported;

  tensor.rank = sizes.size;
  tensor.count = 1;
  uint32_t extent = tensor.element_bytes;  // as if no dimension were 0, so that no stride overflows
  for (uint32_t i = 0; i < sizes.size; ++i) {
    tensor.sizes[i] = sizes[i];
    tensor.count *= sizes[i];
    if (__builtin_mul_overflow(extent, sizes[i] == 0 ? 1 : sizes[i], &extent) || extent > INT32_MAX) return Error::InvalidProgram;
  }
  if (!set_strides(order, tensor)) return Error::InvalidProgram;
  return place(table, tensor.count * tensor.element_bytes, tensor);
}

/// Finds where a tensor of `bytes` lies.
Error Values::place(const Table& table, uint32_t bytes, Tensor& tensor) const {
  uint32_t buffer, offset;
  if (!reader_.u32(table, schema::Tensor::VT_DATA_BUFFER_IDX, buffer)) return Error::InvalidProgram;
  Span<const uint8_t> home;
  tensor.is_constant = reader_.is_absent(table, schema::Tensor::VT_ALLOCATION_INFO);
  if (tensor.is_constant) {
    if (buffer == 0) return Error::NotSupported;
    if (buffer >= constant_offsets_.size || constant_offsets_[buffer].high != 0) return Error::InvalidProgram;
    offset = constant_offsets_[buffer].low;
    home = constants_;
  } else {
    using schema::AllocationDetails;
    Table details;
    uint32_t id;
    bool sound = reader_.table(table, schema::Tensor::VT_ALLOCATION_INFO, details) &&
                 reader_.u32(details, AllocationDetails::VT_MEMORY_ID, id) &&
                 reader_.u32(details, AllocationDetails::VT_MEMORY_OFFSET_LOW, offset);
    if (!sound || id - 1 >= regions_.size) return Error::InvalidProgram;
    if (buffer != 0 || !reader_.is_absent(details, AllocationDetails::VT_MEMORY_OFFSET_HIGH)) return Error::NotSupported;
    home = {regions_[id - 1].data, regions_[id - 1].size};
  }
  if (!lies_in(home.size, offset, bytes)) return Error::InvalidProgram;
  tensor.data = const_cast<uint8_t*>(home.data) + offset;
  return is_aligned(tensor.data, tensor.element_bytes) ? Error::Ok : Error::InvalidArgument;
}

Error Values::integer(uint32_t index, int32_t& integer) const {
  Kind kind;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  if (kind == Kind::Bool) {
    uint32_t byte;
    if (!reader_.u8(table, schema::Bool::VT_BOOL_VAL, byte)) return Error::InvalidProgram;
    integer = byte != 0;
    return Error::Ok;
  }
  if (kind != Kind::Int) return Error::InvalidType;
  Wide wide;
  if (!reader_.wide(table, schema::Int::VT_INT_VAL, wide)) return Error::InvalidProgram;
  integer = static_cast<int32_t>(wide.low);
  bool fits = static_cast<int32_t>(wide.high) == integer >> 31;
  if (!fits) integer = static_cast<int32_t>(wide.high) < 0 ? INT32_MIN : INT32_MAX;
  return Error::Ok;
}

Error Values::number(uint32_t index, double& number) const {
  Kind kind;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  if (kind != Kind::Double) {
    int32_t whole;
    Error error = integer(index, whole);
    if (error == Error::Ok) number = whole;
    return error;
  }
  Wide wide;
  if (!reader_.wide(table, schema::Double::VT_DOUBLE_VAL, wide)) return Error::InvalidProgram;
  number = __builtin_bit_cast(double, static_cast<uint64_t>(wide.high) << 32 | wide.low);
  return Error::Ok;
}

Error Values::text(uint32_t index, Span<const char>& text) const {
  Kind kind;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  if (kind != Kind::String) return Error::InvalidType;
  return reader_.text(table, schema::String::VT_STRING_VAL, text) ? Error::Ok : Error::InvalidProgram;
}

Error Values::is_null(uint32_t index, bool& null) const {
  Kind kind;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  null = kind == Kind::Null;
  return Error::Ok;
}

Error Values::list(uint32_t index, List& list) const {
  Kind kind;
  Table table;
  if (Error error = value(index, kind, table); error != Error::Ok) return error;
  if (kind == Kind::IntList) {
    Span<const Wide> items;
    if (!reader_.u64s(table, schema::IntList::VT_ITEMS, items)) return Error::InvalidProgram;
    list = {&items.data->low, 2, items.size};
    return Error::Ok;
  }
  if (kind != Kind::TensorList && kind != Kind::OptionalTensorList) return Error::InvalidType;
  Span<const uint32_t> items;
  static_assert(int{schema::TensorList::VT_ITEMS} == int{schema::OptionalTensorList::VT_ITEMS});
  if (!reader_.u32s(table, schema::TensorList::VT_ITEMS, items)) return Error::InvalidProgram;
  list = {items.data, 1, items.size};
  return Error::Ok;
}

}  // namespace kindling::upstream
