// Finds the fields of a flatbuffer, however damaged, so that a mutator can aim at them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/flatbuffer_verifier.h"
#include "runtime/span.h"

namespace kindling {

/// A number in a flatbuffer and what it stands for.
struct Field {
  enum Kind : uint8_t {
    kNumber,          // a value, of `bytes` bytes
    kMember,          // which member of a union it is
    kOffset,          // how far away a table, vector or string is
    kLength,          // of a vector or string
    kVtableEntry,     // how far into its table a field is
    kVtableDistance,  // how far before a table its vtable is
  };

  uint32_t place;
  uint8_t bytes;
  Kind kind;
};

/// Of all tables that can be reached from the root, those found first if there are very many. `file` begins with the flatbuffer.
std::vector<Field> fields_of(Span<const uint8_t> file, const Schema& schema);

}  // namespace kindling
