#include "runtime/flatbuffer_verifier.h"

namespace kindling {
namespace {

class Verifier {
 public:
  Verifier(Span<const uint8_t> buffer, const Schema& schema)
      : begin_(buffer.data), size_(buffer.size), schema_(schema), tables_left_(buffer.size) {}

  /// The table that the offset at `offset` leads to. The offset itself is known to be inside.
  bool table(Place offset, uint32_t kind) {
    Place place;
    if (!follow(offset, place) || tables_left_-- == 0) return false;
    Place vtable = place - load<uint32_t>(place);
    if (!holds(vtable, 4, 2)) return false;
    uint32_t vtable_bytes = load<uint16_t>(vtable), bytes = load<uint16_t>(vtable + 2);
    if (vtable_bytes < 4 || !holds(vtable, vtable_bytes, 2) || bytes < 4 || !lies_in(size_, place, bytes)) return false;
    uint32_t member = 0;
    uint32_t slot = 4;
    for (uint32_t i = schema_.starts[kind]; i < schema_.starts[kind + 1]; ++i, slot += 2) {
      uint32_t distance = slot + 2 <= vtable_bytes ? load<uint16_t>(vtable + slot) : 0;
      if (!field(schema_.fields[i], place, bytes, distance, member)) return false;
    }
    return true;
  }

 private:
  /// A field `distance` bytes into a table of `bytes` at `place`. `member` goes from a union's type to the union.
  bool field(FieldKind kind, Place place, uint32_t bytes, uint32_t distance, uint32_t& member) {
    uint32_t group = kind & 0xF0, detail = kind & 0x3F;
    if (distance == 0) return kind < 0xC0 || member == 0;
    uint32_t size = group == 0x00 ? 1u << kind : group == 0x30 ? 1 : 4;
    Place at = place + distance;
    if (distance < 4 || !lies_in(bytes, distance, size) || at % size != 0) return false;
    if (group == 0x00) return true;
    if (group == 0x30) {
      member = load<uint8_t>(at);
      return member <= (kind & 0x0F);
    }
    if (kind >= 0xC0) return member != 0 && table(at, detail + member - 1);
    if (kind >= 0x80) return tables(at, detail);
    if (kind >= 0x40) return table(at, detail);
    return vector(at, kind);
  }

  bool vector(Place offset, FieldKind kind) {
    Place place;
    uint32_t log2_bytes = kind & 0x0F;
    if (!follow(offset, place)) return false;
    uint32_t count = load<uint32_t>(place), room = size_ - place - 4;
    if (count > room >> log2_bytes) return false;
    if (kind == 0x20) return count < room && begin_[place + 4 + count] == 0;
    return count == 0 || (place + 4) % (1u << log2_bytes) == 0;
  }

  bool tables(Place offset, uint32_t kind) {
    if (!vector(offset, 0x12)) return false;
    Place place = offset + load<uint32_t>(offset);
    for (uint32_t left = load<uint32_t>(place); left != 0; --left) {
      place += 4;
      if (!table(place, kind)) return false;
    }
    return true;
  }

  /// Where the offset at `offset` leads to: to 4 bytes at least, aligned to as many.
  bool follow(Place offset, Place& place) const {
    uint32_t distance = load<uint32_t>(offset);
    place = offset + distance;
    return distance != 0 && distance <= size_ - offset && holds(place, 4, 4);
  }

  bool holds(Place place, uint32_t bytes, uint32_t alignment) const {
    return place % alignment == 0 && lies_in(size_, place, bytes);
  }

  template <typename T>
  T load(Place place) const {
    using Aliasing [[gnu::may_alias]] = T;
    return *reinterpret_cast<const Aliasing*>(begin_ + place);
  }

  const uint8_t* begin_;
  uint32_t size_;
  const Schema& schema_;
  uint32_t tables_left_;
};

}  // namespace

bool is_flatbuffer(Span<const uint8_t> buffer, const Schema& schema) { return Verifier(buffer, schema).table(0, schema.root); }

}  // namespace kindling
