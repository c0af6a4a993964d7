#include "runtime/upstream/call.h"

namespace kindling::upstream {

bool Call::is_null(uint32_t i) {
  bool null;
  return note(values_.is_null(arguments_[i], null)) && null;
}

int32_t Call::integer(uint32_t i) {
  int32_t value;
  return note(values_.integer(arguments_[i], value)) ? value : 0;
}

double Call::number(uint32_t i) {
  double value;
  return note(values_.number(arguments_[i], value)) ? value : 0;
}

uint32_t Call::dimension(uint32_t i, uint32_t rank) {
  const int32_t number = integer(i), size = static_cast<int32_t>(rank);
  const int32_t counted = number < 0 ? number + size : number;
  const bool is_there = counted >= 0 && counted < size;
  require(is_there);
  return is_there ? static_cast<uint32_t>(counted) : 0;
}

bool Call::is_text(uint32_t i, const char* text) {
  Span<const char> found;
  if (!note(values_.text(arguments_[i], found))) return false;
  for (char letter : found) {
    if (letter == 0 || letter != *text++) return false;
  }
  return *text == 0;
}

Ints Call::integers(uint32_t i) {
  Ints ints = {};
  List list;
  if (!note(values_.list(arguments_[i], list))) return ints;
  require(list.size <= kMaxInts, Error::NotSupported);
  for (uint32_t k = 0; k < list.size && error_ == Error::Ok; ++k) {
    if (note(values_.integer(list[k], ints.values[k]))) ints.size = k + 1;
  }
  return ints;
}

Tensor Call::tensor_of(uint32_t value) {
  Tensor tensor = {};
  if (!note(values_.tensor(value, tensor))) tensor = {};
  return tensor;
}

Tensor Call::tensor(uint32_t i, ScalarType type) {
  Tensor found = tensor(i);
  require(found.is(type), Error::InvalidType);
  return found;
}

Tensor Call::output(uint32_t i) {
  Tensor found = tensor(i);
  require(!found.is_constant, Error::NotSupported);
  return found;
}

Tensor Call::output(uint32_t i, ScalarType type) {
  Tensor found = tensor(i, type);
  require(!found.is_constant, Error::NotSupported);
  return found;
}

uint32_t Call::list_size(uint32_t i) {
  List list;
  return note(values_.list(arguments_[i], list)) ? list.size : 0;
}

Tensor Call::tensor_in_list(uint32_t i, uint32_t number) {
  List list;
  if (!note(values_.list(arguments_[i], list))) return {};
  return tensor_of(list[number]);
}

}  // namespace kindling::upstream
