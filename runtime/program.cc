#include "runtime/program.h"

#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;

// The head of a file, little-endian: the flatbuffer's root offset and identifier, then, if there are segments, the extended
// header.
constexpr uint32_t kIdentifierAt = 4;
constexpr uint32_t kIdentifier = 0x32315445;  // "ET12"
constexpr uint32_t kMagicAt = 8;
constexpr uint32_t kMagic = 0x30306865;  // "eh00"
constexpr uint32_t kFlatbufferBytesAt = 16;
constexpr uint32_t kSegmentBaseAt = 24;
constexpr uint32_t kHeadBytes = 32;

}  // namespace

template <Verification kVerification>
Error Program::load(Span<const uint8_t> file) {
  *this = Program();
  if constexpr (kVerification != Verification::kNone) {
    if (!is_aligned(file.data, 16)) return Error::InvalidArgument;
    if (file.size < kHeadBytes || load_as<uint32_t>(file.data + kIdentifierAt) != kIdentifier) return Error::InvalidProgram;
  }
  uint64_t flatbuffer_bytes = file.size;
  uint64_t segment_base = 0;
  if (load_as<uint32_t>(file.data + kMagicAt) == kMagic) {
    flatbuffer_bytes = load_as<uint64_t>(file.data + kFlatbufferBytesAt);
    segment_base = load_as<uint64_t>(file.data + kSegmentBaseAt);
  }
  if constexpr (kVerification != Verification::kNone) {
    bool inside = kHeadBytes <= flatbuffer_bytes && flatbuffer_bytes <= file.size && segment_base <= file.size;
    if (!inside) return Error::InvalidProgram;
  }
  Span<const uint8_t> flatbuffer(file.data, static_cast<uint32_t>(flatbuffer_bytes));
  Span<const uint8_t> segments(file.data + segment_base, file.size - static_cast<uint32_t>(segment_base));

  FlatbufferReader<kVerification> reader(flatbuffer);
  Place root = reader.root();
  auto plans = reader.template vector<Offset>(root, schema::Program::VT_EXECUTION_PLAN);
  Place buffers = reader.table(root, schema::Program::VT_CONSTANT_SEGMENT);
  auto offsets = reader.template vector<uint64_t>(buffers, schema::SubsegmentOffsets::VT_OFFSETS);
  Span<const uint8_t> constants;
  if (offsets.size > 1) {
    auto all = reader.template vector<Offset>(root, schema::Program::VT_SEGMENTS);
    auto index = reader.template scalar<uint32_t>(buffers, schema::SubsegmentOffsets::VT_SEGMENT_INDEX);
    Place segment = reader.table(all, index);
    auto offset = reader.template scalar<uint64_t>(segment, schema::DataSegment::VT_OFFSET);
    auto bytes = reader.template scalar<uint64_t>(segment, schema::DataSegment::VT_SIZE);
    if (reader.require(offset <= segments.size && bytes <= segments.size - offset)) {
      constants = {segments.data + offset, static_cast<uint32_t>(bytes)};
    }
  }
  if (reader.error() != Error::Ok) return reader.error();
  flatbuffer_ = flatbuffer;
  plans_ = plans;
  constants_ = constants;
  constant_offsets_ = offsets;
  return Error::Ok;
}

template Error Program::load<Verification::kNone>(Span<const uint8_t>);
template Error Program::load<Verification::kStructure>(Span<const uint8_t>);

}  // namespace kindling
