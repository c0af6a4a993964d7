// Reads a flatbuffer where it lies, with or without bounds checks.
//
// FlatBuffers' own accessors trust the buffer, and its verifier walks all of it before anything is read. This reader checks
// what it reads when it reads it: each function says whether what it was asked for is sound, and only then is its result to be
// used. With Verification::kNone everything is sound, and the checks vanish from the code.
#pragma once

#include <cstdint>

#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Bytes from the start of the buffer.
using Place = uint32_t;

/// A table, and its vtable, which says where in it the fields are.
struct Table {
  Place place;
  Place vtable;
  uint32_t vtable_bytes;
};

/// A vector of tables: where the first one's offset is, and how many there are.
struct Tables {
  Place first;
  uint32_t size;
};

/// A 64-bit integer in a buffer, where it need not be aligned to more than 4 bytes.
struct Wide {
  uint32_t low;
  uint32_t high;
};

/// Whether `bytes` bytes at `offset` are inside a piece of `size`.
inline bool lies_in(uint32_t size, uint32_t offset, uint32_t bytes) { return offset <= size && bytes <= size - offset; }

inline bool is_aligned(const void* data, uint32_t bytes) { return (reinterpret_cast<uintptr_t>(data) & (bytes - 1)) == 0; }

/// Every `slot` is a VT_ constant, which flatc generates from the schema, and no more than kLastSlot.
///
/// What a table says of its own size is not looked at: every field is held against the end of the buffer. A vtable must have room
/// behind it for the longest one, and any field for 4 bytes; they have, as buffers end with strings and vectors, written first.
template <Verification kVerification>
class FlatbufferReader {
 public:
  static constexpr uint32_t kLastSlot = 20;

  /// `buffer` is aligned to 4 bytes and, if it is to be verified, holds at least 32.
  explicit FlatbufferReader(Span<const uint8_t> buffer) : begin_(buffer.data), last_(buffer.size - 4) {}

  /// Tables: the root, a field, an element of a vector. Absent is not sound.
  bool root(Table& table) const { return follow(0, table); }
  bool table(const Table& parent, uint32_t slot, Table& table) const {
    Place place;
    return word(parent, slot, place) && sound(place != parent.place) && follow(place, table);
  }
  bool table(Tables tables, uint32_t i, Table& table) const {
    return sound(i < tables.size) && follow(tables.first + 4 * i, table);
  }

  /// Whether a field is absent, that is, has its default value.
  bool is_absent(const Table& table, uint32_t slot) const { return distance(table, slot) == 0; }

  /// Values of fields, which may be absent; that of a 64-bit one must fit in 32.
  [[gnu::always_inline]] bool u8(const Table& table, uint32_t slot, uint32_t& value) const {
    Place place = table.place + distance(table, slot);
    if (!sound(place <= last_)) return false;
    value = place == table.place ? 0 : load<uint8_t>(place);
    return true;
  }
  [[gnu::always_inline]] bool u32(const Table& table, uint32_t slot, uint32_t& value) const {
    Place place;
    if (!word(table, slot, place)) return false;
    value = place == table.place ? 0 : load<uint32_t>(place);
    return true;
  }
  bool u64(const Table& table, uint32_t slot, uint32_t& value) const {
    Place place;
    if (!word(table, slot, place) || !sound(place + 4 <= last_)) return false;
    value = place == table.place ? 0 : load<uint32_t>(place);
    return place == table.place || sound(load<uint32_t>(place + 4) == 0);
  }
  /// A 64-bit field of any value.
  bool wide(const Table& table, uint32_t slot, Wide& value) const {
    Place place;
    if (!word(table, slot, place) || !sound(place + 4 <= last_)) return false;
    value = place == table.place ? Wide{0, 0} : Wide{load<uint32_t>(place), load<uint32_t>(place + 4)};
    return true;
  }

  /// Vectors, and strings, in fields. Absent is not sound.
  bool tables(const Table& parent, uint32_t slot, Tables& tables) const { return vector(parent, slot, 2, tables); }
  bool text(const Table& parent, uint32_t slot, Span<const char>& text) const { return span(parent, slot, text); }
  bool u8s(const Table& parent, uint32_t slot, Span<const uint8_t>& values) const { return span(parent, slot, values); }
  bool u32s(const Table& parent, uint32_t slot, Span<const uint32_t>& values) const { return span(parent, slot, values); }
  bool u64s(const Table& parent, uint32_t slot, Span<const Wide>& values) const { return span(parent, slot, values); }

 private:
  static bool sound(bool holds) { return kVerification == Verification::kNone || holds; }

  /// Whether `position` is a multiple of `alignment` (2 or 4) and at most `last`. In one comparison: rotated, a misaligned position
  /// exceeds every limit.
  static bool is_within(uint32_t position, uint32_t last, uint32_t alignment) {
    uint32_t bits = alignment / 2;
    return (position >> bits | position << (32 - bits)) <= last >> bits;
  }

  template <typename T>
  T load(Place place) const {
    using Aliasing [[gnu::may_alias]] = T;
    return *reinterpret_cast<const Aliasing*>(begin_ + place);
  }

  /// How far into a table a field is; 0 if it is absent.
  uint32_t distance(const Table& table, uint32_t slot) const {
    return slot + 2 > table.vtable_bytes ? 0 : load<uint16_t>(table.vtable + slot);
  }

  /// The place of a field of 4 bytes at least; that of the table if it is absent.
  bool word(const Table& table, uint32_t slot, Place& place) const {
    place = table.place + distance(table, slot);
    return sound(is_within(place, last_, 4));
  }

  // Places wrap around; before one that an offset led to is used, it is compared with the buffer's bounds.
  bool follow(Place offset, Table& table) const {
    table.place = offset + load<uint32_t>(offset);
    if (!sound(is_within(table.place, last_, 4))) return false;
    table.vtable = table.place - load<uint32_t>(table.place);
    if (!sound(is_within(table.vtable, last_ - kLastSlot, 2))) return false;
    table.vtable_bytes = load<uint16_t>(table.vtable);
    return true;
  }

  bool vector(const Table& parent, uint32_t slot, uint32_t log2_bytes, Tables& elements) const {
    Place offset;
    if (!word(parent, slot, offset) || !sound(offset != parent.place)) return false;
    Place vector = offset + load<uint32_t>(offset);
    if (!sound(is_within(vector, last_, 4))) return false;
    elements = {vector + 4, load<uint32_t>(vector)};
    return sound(elements.size <= (last_ - vector) >> log2_bytes);
  }

  template <typename T>
  bool span(const Table& parent, uint32_t slot, Span<const T>& elements) const {
    Tables found;
    if (!vector(parent, slot, __builtin_ctz(sizeof(T)), found)) return false;
    elements = {reinterpret_cast<const T*>(begin_ + found.first), found.size};
    return true;
  }

  const uint8_t* begin_;
  uint32_t last_;  // where the last 4 bytes are
};

}  // namespace kindling
