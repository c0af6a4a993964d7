#include "runtime/checksums.h"

#include "runtime/container.h"
#include "runtime/flatbuffer.h"
#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

constexpr uint32_t kMagic = 0x4352434B;  // "KCRC"

/// The CRCs of 0 to 15: half a byte at a time, as a table for whole ones would be 1 KiB.
struct HalfByteTable {
  uint32_t crcs[16] = {};

  constexpr HalfByteTable() {
    for (uint32_t i = 0; i < 16; ++i) {
      crcs[i] = i;
      for (int bit = 0; bit < 4; ++bit) crcs[i] = crcs[i] >> 1 ^ (crcs[i] & 1 ? 0xEDB88320 : 0);
    }
  }
};

constexpr HalfByteTable kTable;

}  // namespace

uint32_t crc32(Span<const uint8_t> data) {
  uint32_t crc = ~0u;
  for (uint8_t byte : data) {
    crc ^= byte;
    crc = crc >> 4 ^ kTable.crcs[crc & 15];
    crc = crc >> 4 ^ kTable.crcs[crc & 15];
  }
  return ~crc;
}

Error check_checksums(Span<const uint8_t> file) {
  namespace schema = executorch_flatbuffer;
  Container container;
  if (Error error = open_container<Verification::kStructure>(file, container); error != Error::Ok) return error;
  uint32_t place = container.flatbuffer.size;
  auto words = reinterpret_cast<const uint32_t*>(file.data + place);
  if (!lies_in(file.size, place, 8) || words[0] != kMagic) return Error::NotFound;
  uint32_t count = words[1];
  place += 8;
  if (count == 0 || count > (file.size - place) / 4) return Error::InvalidProgram;
  Span<const uint32_t> expected(words + 2, count);
  place += 4 * count;
  if (crc32(container.flatbuffer) != expected[0]) return Error::InvalidProgram;

  FlatbufferReader<Verification::kStructure> reader(container.flatbuffer);
  Table root;
  Tables segments;
  if (!reader.root(root) || !reader.tables(root, schema::Program::VT_SEGMENTS, segments)) return Error::InvalidProgram;
  if (segments.size + 1 != count) return Error::InvalidProgram;
  uint32_t base = file.size - container.segments.size;
  for (uint32_t i = 0; i < segments.size; ++i) {
    Table segment;
    uint32_t offset, bytes;
    bool sound = reader.table(segments, i, segment) && reader.u64(segment, schema::DataSegment::VT_OFFSET, offset) &&
                 reader.u64(segment, schema::DataSegment::VT_SIZE, bytes) && lies_in(container.segments.size, offset, bytes) &&
                 base + offset >= place;
    if (!sound) return Error::InvalidProgram;
    uint32_t end = base + offset + bytes;
    if (crc32({file.data + place, end - place}) != expected[i + 1]) return Error::InvalidProgram;
    place = end;
  }
  return Error::Ok;
}

}  // namespace kindling
