#include "runtime/program.h"

#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;

/// The head of a file, little-endian: the flatbuffer's root offset and identifier, then the extended header, which is there if
/// segments are.
struct Head {
  uint32_t root;
  uint32_t identifier;
  uint32_t magic;
  uint32_t header_bytes;
  Wide flatbuffer_bytes;
  Wide segment_base;
};

constexpr uint32_t kIdentifier = 0x32315445;  // "ET12"
constexpr uint32_t kMagic = 0x30306865;       // "eh00"

}  // namespace

template <Verification kVerification>
Error Program::load(Span<const uint8_t> file) {
  *this = Program();
  constexpr bool kVerify = kVerification != Verification::kNone;
  if (kVerify && !is_aligned(file.data, 16)) return Error::InvalidArgument;
  const Head& head = *reinterpret_cast<const Head*>(file.data);
  if (kVerify && (file.size < sizeof(Head) || head.identifier != kIdentifier)) return Error::InvalidProgram;
  Wide flatbuffer_bytes = {file.size, 0};
  Wide segment_base = {0, 0};
  if (head.magic == kMagic) {
    flatbuffer_bytes = head.flatbuffer_bytes;
    segment_base = head.segment_base;
  }
  if constexpr (kVerify) {
    bool inside = (flatbuffer_bytes.high | segment_base.high) == 0 && flatbuffer_bytes.low >= sizeof(Head) &&
                  flatbuffer_bytes.low <= file.size && segment_base.low <= file.size;
    if (!inside) return Error::InvalidProgram;
  }
  Span<const uint8_t> flatbuffer(file.data, flatbuffer_bytes.low);
  Span<const uint8_t> segments(file.data + segment_base.low, file.size - segment_base.low);

  FlatbufferReader<kVerification> reader(flatbuffer);
  Table root = reader.root();
  Tables plans = reader.tables(root, schema::Program::VT_EXECUTION_PLAN);
  Table buffers = reader.table(root, schema::Program::VT_CONSTANT_SEGMENT);
  Span<const Wide> offsets = reader.u64s(buffers, schema::SubsegmentOffsets::VT_OFFSETS);
  Span<const uint8_t> constants;
  if (offsets.size > 1) {
    uint32_t index = reader.u32(buffers, schema::SubsegmentOffsets::VT_SEGMENT_INDEX);
    Table segment = reader.table(reader.tables(root, schema::Program::VT_SEGMENTS), index);
    uint32_t offset = reader.u64(segment, schema::DataSegment::VT_OFFSET);
    uint32_t bytes = reader.u64(segment, schema::DataSegment::VT_SIZE);
    bool inside = offset <= segments.size && bytes <= segments.size - offset;
    if (reader.require(inside)) constants = {segments.data + offset, bytes};
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
