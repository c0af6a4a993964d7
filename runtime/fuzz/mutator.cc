// Changes one or a few fields of a .pte at a time: most of the bytes that libFuzzer would change by itself make no difference, or only
// that of a damaged flatbuffer.

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/fuzz/fields.h"
#include "runtime/program_schema.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t bytes, size_t max_bytes);

namespace kindling {
namespace {

using Random = std::minstd_rand;

uint32_t below(Random& random, size_t count) { return static_cast<uint32_t>(random() % count); }

uint64_t load(const uint8_t* data, const Field& field) {
  uint64_t value = 0;
  std::memcpy(&value, data + field.place, field.bytes);
  return value;
}

void store(uint8_t* data, const Field& field, uint64_t value) { std::memcpy(data + field.place, &value, field.bytes); }

/// Another value for a field, of a sort that may well pass for sound.
uint64_t other_value(const uint8_t* data, size_t bytes, const std::vector<Field>& fields, const Field& field, Random& random) {
  constexpr uint64_t kEdges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 127, 128, 255, 256, 0x7FFF, 0xFFFF, 0x10000,
                                 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF, 0x100000000, ~0ull};
  const uint64_t old = load(data, field);
  const Field& other = fields[below(random, fields.size())];
  switch (below(random, 6)) {
    case 0:
      return kEdges[below(random, std::size(kEdges))];
    case 1:
      return old + below(random, 17) - 8;
    case 2:
      return old ^ 1ull << below(random, 8 * field.bytes);
    case 3:  // leads to where another field is, or lies, or what it leads to
      if (field.kind == Field::kOffset) return other.place - field.place + (other.kind == Field::kOffset ? load(data, other) : 0);
      return load(data, other);
    case 4:
      return field.kind == Field::kMember ? below(random, 12) : below(random, bytes);
    default:
      return random();
  }
}

size_t mutate(uint8_t* data, size_t bytes, size_t max_bytes, uint32_t seed) {
  Random random(seed);
  const std::vector<Field> fields = fields_of({data, static_cast<uint32_t>(bytes)}, kProgramSchema);
  const uint32_t choice = below(random, 16);
  if (bytes < 64 || fields.size() < 4 || choice == 0) return LLVMFuzzerMutate(data, bytes, max_bytes);
  if (choice < 4) {  // the kernels' parameters, most of which begin at multiples of 16, or the header
    const size_t places = bytes / 16;
    uint8_t* part = data + 16 * below(random, places);
    LLVMFuzzerMutate(part, 16, 16);
    return bytes;
  }
  for (uint32_t changes = 1 + below(random, 3) / 2 + below(random, 3) / 2; changes != 0; --changes) {
    const Field& field = fields[below(random, fields.size())];
    store(data, field, other_value(data, bytes, fields, field, random));
  }
  return bytes;
}

}  // namespace
}  // namespace kindling

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t bytes, size_t max_bytes, unsigned int seed) {
  return kindling::mutate(data, bytes, max_bytes, seed);
}
