// An instruction of a program, as the operator that it calls reads it.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"
#include "runtime/upstream/arena.h"
#include "runtime/upstream/step.h"
#include "runtime/upstream/tensor.h"
#include "runtime/upstream/values.h"

namespace kindling::upstream {

/// At most this many numbers are in an IntList argument.
inline constexpr uint32_t kMaxInts = 2 * kMaxRank;

struct Ints {
  int32_t values[kMaxInts];
  uint32_t size;

  int32_t operator[](uint32_t i) const { return values[i]; }
  /// Of a list that may stand for two numbers by one, or by none.
  int32_t of_two(uint32_t i, int32_t otherwise) const { return size == 0 ? otherwise : values[size == 1 ? 0 : i]; }
};

/// Reads arguments by their position in the schema. The first that cannot be read is the call's error; it, and whatever is read
/// after it, is 0, false or an empty tensor.
class Call {
 public:
  Call(const Values& values, Span<const uint32_t> arguments, Arena& arena, uint32_t instruction, const Step*** last)
      : values_(values), arguments_(arguments), arena_(arena), instruction_(instruction), last_(last) {}

  Error error() const { return error_; }

  bool is_null(uint32_t i);
  int32_t integer(uint32_t i);
  bool flag(uint32_t i) { return integer(i) != 0; }
  double number(uint32_t i);
  float real(uint32_t i) { return static_cast<float>(number(i)); }
  /// One of `rank` dimensions, or of as many positions; below 0 it is counted from the end. InvalidArgument if it is none.
  uint32_t dimension(uint32_t i, uint32_t rank);
  /// Whether a String is this one.
  bool is_text(uint32_t i, const char* text);
  Ints integers(uint32_t i);
  Tensor tensor(uint32_t i) { return tensor_of(arguments_[i]); }
  /// A tensor of this type; InvalidType if it is another.
  Tensor tensor(uint32_t i, ScalarType type);
  /// A tensor that is written; NotSupported if it is a constant.
  Tensor output(uint32_t i);
  Tensor output(uint32_t i, ScalarType type);
  /// Tensors of a list, by number; no more than there are.
  uint32_t list_size(uint32_t i);
  Tensor tensor_in_list(uint32_t i, uint32_t number);

  /// An error unless `holds`, if there is none yet.
  void require(bool holds, Error error = Error::InvalidArgument) {
    if (!holds && error_ == Error::Ok) error_ = error;
  }

  /// Adds a step: a copy of `prepared`, with this function. Adds nothing if there was an error, which it returns.
  template <class Prepared>
  Error add(void (*run)(const Step& step), Prepared prepared) {
    static_assert(__is_base_of(Step, Prepared));
    if (error_ != Error::Ok) return error_;
    if (Prepared* kept = arena_.take<Prepared>()) {
      prepared.run = run;
      prepared.next = nullptr;
      prepared.instruction = instruction_;
      *kept = prepared;
      **last_ = kept;
      *last_ = &kept->next;
    }
    return Error::Ok;
  }

 private:
  Tensor tensor_of(uint32_t value);
  bool note(Error error) {
    require(error == Error::Ok, error);
    return error_ == Error::Ok;
  }

  const Values& values_;
  Span<const uint32_t> arguments_;
  Arena& arena_;
  uint32_t instruction_;
  const Step*** last_;  // where the next step is to be noted
  Error error_ = Error::Ok;
};

}  // namespace kindling::upstream
