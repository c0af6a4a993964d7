// Walks a whole flatbuffer of a schema that is given as a table.
#pragma once

#include <cstdint>

#include "runtime/flatbuffer.h"
#include "runtime/span.h"

namespace kindling {

/// What a field holds, in one byte.
///   0x00 + n    a number of 2^n bytes
///   0x10 + n    a vector of them
///   0x20        a string
///   0x30 + n    which of a union's n members the next field is; 0: it is absent
///   0x40 + t    table t
///   0x80 + t    a vector of tables t
///   0xC0 + t    a union, whose first member is table t, the next one t + 1
using FieldKind = uint8_t;

/// The tables of a schema, none of which contains itself: the fields of table t are `fields[starts[t]]` up to `fields[starts[t + 1]]`.
struct Schema {
  const FieldKind* fields;
  const uint8_t* starts;
  uint8_t root;
};

/// Whether `buffer` is a flatbuffer of `schema`: every table, vtable, vector and string that can be reached lies inside and is
/// aligned, every string ends with a zero, every union has a member that the schema knows. Takes time in proportion to the
/// buffer's size: one in which offsets meet so often that more tables are reached than it has bytes is refused.
/// `buffer` is aligned to 8 bytes and holds at least 4.
bool is_flatbuffer(Span<const uint8_t> buffer, const Schema& schema);

}  // namespace kindling
