// Reads a flatbuffer where it lies, with or without bounds checks.
//
// FlatBuffers' own accessors trust the buffer, and its verifier walks all of it before anything is read. This reader checks
// what it reads when it reads it. After the first fault it notes the error and goes on: whatever is broken reads as absent or
// empty, so those who use it need not look after every step, only before they act on what they read.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Where a table or a field is. A null field is absent and has its default value.
using Place = const uint8_t*;

/// The field or vector element that says where a table, vector or string is, counted from itself.
using Offset = uint32_t;

template <typename T>
inline T load_as(Place place) {
  using Aliasing [[gnu::may_alias]] = T;
  return *reinterpret_cast<const Aliasing*>(place);
}

inline bool is_aligned(const void* place, uint32_t bytes) { return (reinterpret_cast<uintptr_t>(place) & (bytes - 1)) == 0; }

template <Verification kVerification>
class FlatbufferReader {
 public:
  /// `buffer` is aligned to 8 bytes and holds at least 8.
  explicit FlatbufferReader(Span<const uint8_t> buffer) : buffer_(buffer) {}

  /// Ok, or the first fault met.
  Error error() const { return error_; }

  /// Notes `error` if what must hold does not, and says whether it does. Unverified, it does.
  bool require(bool holds, Error error = Error::InvalidProgram) {
    if constexpr (kVerification == Verification::kNone) return true;
    if (!holds && error_ == Error::Ok) error_ = error;
    return holds;
  }

  Place root() { return table(buffer_.data); }

  /// The field of `bytes` (1, 2, 4 or 8) in `slot`, a generated VT_ constant, of `table`; or null.
  Place field(Place table, uint32_t slot, uint32_t bytes) {
    Place vtable = table - load_as<int32_t>(table);
    if (slot >= load_as<uint16_t>(vtable)) return nullptr;
    uint32_t distance = load_as<uint16_t>(vtable + slot);
    if (distance == 0) return nullptr;
    Place place = table + distance;
    bool inside = distance + bytes <= load_as<uint16_t>(vtable + sizeof(uint16_t)) && is_aligned(place, bytes);
    return require(inside) ? place : nullptr;
  }

  template <typename T>
  T scalar(Place table, uint32_t slot) {
    Place place = field(table, slot, sizeof(T));
    return place == nullptr ? T() : load_as<T>(place);
  }

  /// The table that `offset` leads to. An absent or broken one gives an empty table.
  Place table(Place offset) {
    if (!require(offset != nullptr)) return empty_table();
    Place table = follow(offset);
    if (!require(contains(table, sizeof(int32_t), alignof(int32_t)))) return empty_table();
    Place vtable = place_at(reinterpret_cast<uintptr_t>(table) - static_cast<intptr_t>(load_as<int32_t>(table)));
    if (!require(contains(vtable, 2 * sizeof(uint16_t), alignof(uint16_t)))) return empty_table();
    uint32_t vtable_bytes = load_as<uint16_t>(vtable);
    uint32_t table_bytes = load_as<uint16_t>(vtable + sizeof(uint16_t));
    bool inside = vtable_bytes % 2 == 0 && contains(vtable, vtable_bytes, 1) && contains(table, table_bytes, 1);
    return require(inside) ? table : empty_table();
  }
  Place table(Place parent, uint32_t slot) { return table(field(parent, slot, sizeof(Offset))); }
  Place table(Span<const Offset> offsets, uint32_t i) {
    return table(require(i < offsets.size) ? reinterpret_cast<Place>(offsets.data + i) : nullptr);
  }

  /// The vector, or string, in `slot` of `parent`. An absent or broken one is empty.
  template <typename T>
  Span<const T> vector(Place parent, uint32_t slot) {
    Span<const uint8_t> found = vector(parent, slot, __builtin_ctz(sizeof(T)));
    return {reinterpret_cast<const T*>(found.data), found.size};
  }

 private:
  Span<const uint8_t> vector(Place parent, uint32_t slot, uint32_t log2_element_bytes) {
    Place offset = field(parent, slot, sizeof(Offset));
    if (!require(offset != nullptr)) return {};
    Place vector = follow(offset);
    if (!require(contains(vector, sizeof(uint32_t), alignof(uint32_t)))) return {};
    uint32_t size = load_as<uint32_t>(vector);
    Place first = vector + sizeof(uint32_t);
    uint32_t room = static_cast<uint32_t>(buffer_.end() - first);
    bool inside = size <= room >> log2_element_bytes && is_aligned(first, 1u << log2_element_bytes);
    return require(inside) ? Span<const uint8_t>(first, size) : Span<const uint8_t>();
  }

  /// Whether `bytes` bytes from `place`, which may be any address, are in the buffer.
  bool contains(Place place, uint32_t bytes, uint32_t alignment) const {
    uintptr_t position = reinterpret_cast<uintptr_t>(place) - reinterpret_cast<uintptr_t>(buffer_.data);
    return position <= buffer_.size && bytes <= buffer_.size - position && is_aligned(place, alignment);
  }

  // Places are computed as integers, because until `contains` has judged them they may lie outside the buffer.
  static Place place_at(uintptr_t address) { return reinterpret_cast<Place>(address); }
  static Place follow(Place offset) { return place_at(reinterpret_cast<uintptr_t>(offset) + load_as<Offset>(offset)); }

  /// A table without fields: its vtable (bytes of the vtable, bytes of the table), then the table (bytes back to the vtable).
  static Place empty_table() {
    alignas(4) static constexpr uint8_t kBytes[] = {4, 0, 4, 0, 4, 0, 0, 0};
    return kBytes + 4;
  }

  Span<const uint8_t> buffer_;
  Error error_ = Error::Ok;
};

}  // namespace kindling
