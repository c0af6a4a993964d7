// Reads a flatbuffer where it lies, with or without bounds checks.
//
// FlatBuffers' own accessors trust the buffer, and its verifier walks all of it before anything is read. This reader checks
// what it reads when it reads it. After the first fault it notes the error and goes on: whatever is broken reads as absent or
// empty, so those who use it need not look after every step, only before they act on what they have read.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Bytes from the start of the buffer to a table, or to a field of one. Fields have a default value, and those that have it
/// may be absent: their place is 0.
using Place = uint32_t;

/// A table, and its vtable, which says where in it the fields are.
struct Table {
  Place place = 0;
  Place vtable = 0;
  uint32_t vtable_bytes = 0;
  uint32_t last = 0;  // where in the table its last 4 bytes are
};

/// A vector of tables: where the first one's offset is, and how many there are.
struct Tables {
  Place first = 0;
  uint32_t size = 0;
};

/// A 64-bit integer in a buffer, where it need not be aligned to more than 4 bytes.
struct Wide {
  uint32_t low;
  uint32_t high;
};

inline bool is_aligned(const void* data, uint32_t bytes) { return (reinterpret_cast<uintptr_t>(data) & (bytes - 1)) == 0; }

template <Verification kVerification>
class FlatbufferReader {
 public:
  /// `buffer` is aligned to 4 bytes and, if it is to be verified, holds at least 4.
  explicit FlatbufferReader(Span<const uint8_t> buffer) : begin_(buffer.data), last_(buffer.size - 4) {}

  /// Ok, or the first fault met.
  Error error() const { return error_; }

  /// Notes `error` if what must hold does not, and says whether it does. Unverified, it does.
  bool require(bool holds, Error error = Error::InvalidProgram) {
    if constexpr (kVerification == Verification::kNone) return true;
    if (!holds && error_ == Error::Ok) [[unlikely]] error_ = error;
    return holds;
  }

  /// Tables: the root; the one that the offset at `place` leads to; that of a field; an element of a vector. `slot` is always a
  /// VT_ constant, which flatc generates from the schema. An absent or broken table has no fields.
  Table root() { return follow_to_table(0); }
  Table table_at(Place place) { return require(place != 0) ? follow_to_table(place) : Table(); }
  Table table(const Table& parent, uint32_t slot) { return table_at(field(parent, slot, 4)); }
  Table table(Tables tables, uint32_t i) { return table_at(require(i < tables.size) ? tables.first + 4 * i : 0); }

  /// The place of a field of 1, 2, 4 or 8 bytes.
  Place field(const Table& table, uint32_t slot, uint32_t bytes) {
    if (slot + 2 > table.vtable_bytes) return 0;
    uint32_t distance = load<uint16_t>(table.vtable + slot);
    if (distance == 0) return 0;
    uint32_t unit = bytes < 4 ? bytes : 4;
    return require(is_within(distance + bytes - unit, table.last + 4 - unit, unit)) ? table.place + distance : 0;
  }

  /// Values of fields.
  uint8_t u8(const Table& table, uint32_t slot) {
    Place place = field(table, slot, 1);
    return place == 0 ? 0 : load<uint8_t>(place);
  }
  uint32_t u32(const Table& table, uint32_t slot) {
    Place place = field(table, slot, 4);
    return place == 0 ? 0 : load<uint32_t>(place);
  }
  /// Of a 64-bit field whose value must fit in 32.
  uint32_t u64(const Table& table, uint32_t slot) {
    Place place = field(table, slot, 8);
    if (place == 0) return 0;
    require(load<uint32_t>(place + 4) == 0);
    return load<uint32_t>(place);
  }

  /// Vectors in fields. An absent or broken one is empty.
  Tables tables(const Table& parent, uint32_t slot) { return elements(field(parent, slot, 4), 2); }
  Span<const char> text(const Table& parent, uint32_t slot) { return vector<char>(parent, slot); }
  Span<const uint32_t> u32s(const Table& parent, uint32_t slot) { return vector<uint32_t>(parent, slot); }
  Span<const Wide> u64s(const Table& parent, uint32_t slot) { return vector<Wide>(parent, slot); }

 private:
  template <typename T>
  T load(Place place) const {
    using Aliasing [[gnu::may_alias]] = T;
    return *reinterpret_cast<const Aliasing*>(begin_ + place);
  }

  /// Whether `position` is a multiple of `alignment` (1, 2 or 4) and at most `last`. In one comparison: rotated, a misaligned
  /// position exceeds every limit.
  static bool is_within(uint32_t position, uint32_t last, uint32_t alignment) {
    if (alignment == 1) return position <= last;
    uint32_t bits = alignment / 2;
    return (position >> bits | position << (32 - bits)) <= last >> bits;
  }

  // Places wrap around; before one that an offset led to is used, it is compared with the buffer's bounds.
  Table follow_to_table(Place offset) {
    Place table = offset + load<uint32_t>(offset);
    if (!require(is_within(table, last_, 4))) return {};
    Place vtable = table - load<uint32_t>(table);
    if (!require(is_within(vtable, last_, 2))) return {};
    uint32_t vtable_bytes = load<uint16_t>(vtable);
    uint32_t last = load<uint16_t>(vtable + 2) - 4u;
    bool inside = vtable_bytes - 4 <= last_ - vtable && last <= last_ - table;
    return require(inside) ? Table{table, vtable, vtable_bytes, last} : Table();
  }

  Tables elements(Place offset, uint32_t log2_bytes) {
    if (!require(offset != 0)) return {};
    Place vector = offset + load<uint32_t>(offset);
    if (!require(is_within(vector, last_, 4))) return {};
    uint32_t size = load<uint32_t>(vector);
    return require(size <= (last_ - vector) >> log2_bytes) ? Tables{vector + 4, size} : Tables();
  }

  template <typename T>
  Span<const T> vector(const Table& parent, uint32_t slot) {
    Tables found = elements(field(parent, slot, 4), __builtin_ctz(sizeof(T)));
    return {reinterpret_cast<const T*>(begin_ + found.first), found.size};
  }

  const uint8_t* begin_;
  uint32_t last_;  // where the last 4 bytes are
  Error error_ = Error::Ok;
};

}  // namespace kindling
