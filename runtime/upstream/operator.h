// What an operator of upstream's is here.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/upstream/arena.h"
#include "runtime/upstream/call.h"

namespace kindling::upstream {

struct Operator {
  /// With its overload, e.g. "aten::addmm.out".
  const char* name;

  /// How many arguments its schema has, outputs included.
  uint32_t arguments;

  /// What a call takes of the method's arena; of an operator of a list of tensors, what each of these takes.
  uint32_t call_bytes;

  /// Checks a call and adds its steps, which then read and write nothing but its tensors. Errors: those of Call's functions;
  /// InvalidArgument if the schema does not allow the arguments; NotSupported if this operator does not.
  Error (*prepare)(Call& call);
};

template <class Prepared>
inline constexpr uint32_t kCallBytes = Arena::bytes_of<Prepared>();

}  // namespace kindling::upstream
