#include "runtime/fuzz/fields.h"

#include <cstring>

namespace kindling {
namespace {

constexpr size_t kMaxFields = 4096;
constexpr uint32_t kMaxElements = 64;

class Finder {
 public:
  Finder(Span<const uint8_t> file, const Schema& schema) : file_(file), schema_(schema) {}

  /// The table that the offset at `offset` leads to.
  void table(uint32_t offset, uint32_t kind) {
    uint32_t place, vtable;
    if (!follow(offset, place) || kind + 1u > kTables || fields.size() > kMaxFields) return;
    add(place, 4, Field::kVtableDistance);
    vtable = place - load<uint32_t>(place);
    if (!lies_in(file_.size, vtable, 4)) return;
    uint32_t vtable_bytes = load<uint16_t>(vtable);
    add(vtable, 2, Field::kLength);
    add(vtable + 2, 2, Field::kLength);
    uint32_t member = 0;
    uint32_t slot = 4;
    for (uint32_t i = schema_.starts[kind]; i < schema_.starts[kind + 1]; ++i, slot += 2) {
      if (slot + 2 > vtable_bytes || !lies_in(file_.size, vtable + slot, 2)) return;
      add(vtable + slot, 2, Field::kVtableEntry);
      uint32_t distance = load<uint16_t>(vtable + slot);
      if (distance != 0) field(schema_.fields[i], place + distance, member);
    }
  }

  std::vector<Field> fields;

 private:
  static constexpr uint32_t kTables = 64;

  void field(FieldKind kind, uint32_t at, uint32_t& member) {
    uint32_t detail = kind & 0x3F;
    if (!lies_in(file_.size, at, 8)) return;
    if (kind < 0x10) return add(at, static_cast<uint8_t>(1u << kind), Field::kNumber);
    if (kind >= 0x30 && kind < 0x40) {
      member = load<uint8_t>(at);
      return add(at, 1, Field::kMember);
    }
    add(at, 4, Field::kOffset);
    if (kind >= 0xC0) {
      if (member - 1 < (detail == 0 ? 11u : 5u)) table(at, detail + member - 1);
    } else if (kind >= 0x80) {
      vector(at, 2, Field::kOffset, detail);
    } else if (kind >= 0x40) {
      table(at, detail);
    } else {
      vector(at, kind & 0x0F, Field::kNumber, 0);
    }
  }

  void vector(uint32_t offset, uint32_t log2_bytes, Field::Kind element, uint32_t table_kind) {
    uint32_t place;
    if (!follow(offset, place)) return;
    add(place, 4, Field::kLength);
    uint32_t count = load<uint32_t>(place);
    for (uint32_t i = 0; i < count && i < kMaxElements; ++i) {
      uint32_t at = place + 4 + (i << log2_bytes);
      if (!lies_in(file_.size, at, 1u << log2_bytes)) return;
      add(at, static_cast<uint8_t>(1u << log2_bytes), element);
      if (element == Field::kOffset) table(at, table_kind);
    }
  }

  void add(uint32_t place, uint8_t bytes, Field::Kind kind) { fields.push_back({place, bytes, kind}); }

  bool follow(uint32_t offset, uint32_t& place) const {
    if (!lies_in(file_.size, offset, 4)) return false;
    place = offset + load<uint32_t>(offset);
    return lies_in(file_.size, place, 4);
  }

  template <typename T>
  T load(uint32_t place) const {
    T value;
    std::memcpy(&value, file_.data + place, sizeof value);
    return value;
  }

  Span<const uint8_t> file_;
  const Schema& schema_;
};

}  // namespace

std::vector<Field> fields_of(Span<const uint8_t> file, const Schema& schema) {
  Finder finder(file, schema);
  finder.table(0, schema.root);
  return finder.fields;
}

}  // namespace kindling
