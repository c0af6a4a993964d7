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
  plans_ = {};
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
                  flatbuffer_bytes.low % 4 == 0 && flatbuffer_bytes.low <= file.size && segment_base.low <= file.size;
    if (!inside) return Error::InvalidProgram;
  }
  Span<const uint8_t> flatbuffer(file.data, flatbuffer_bytes.low);
  Span<const uint8_t> segments(file.data + segment_base.low, file.size - segment_base.low);

  FlatbufferReader<kVerification> reader(flatbuffer);
  Table root, constant_segment;
  Tables plans;
  Span<const Wide> constant_offsets;
  bool sound = reader.root(root) && reader.tables(root, schema::Program::VT_EXECUTION_PLAN, plans) &&
               reader.table(root, schema::Program::VT_CONSTANT_SEGMENT, constant_segment) &&
               reader.u64s(constant_segment, schema::SubsegmentOffsets::VT_OFFSETS, constant_offsets);
  if (!sound) return Error::InvalidProgram;
  Span<const uint8_t> constants(segments.data, 0);
  if (constant_offsets.size > 1) {
    Tables all;
    Table segment;
    uint32_t index, offset, bytes;
    sound = reader.u32(constant_segment, schema::SubsegmentOffsets::VT_SEGMENT_INDEX, index) &&
            reader.tables(root, schema::Program::VT_SEGMENTS, all) && reader.table(all, index, segment) &&
            reader.u64(segment, schema::DataSegment::VT_OFFSET, offset) && reader.u64(segment, schema::DataSegment::VT_SIZE, bytes);
    if (!sound || (kVerify && !lies_in(segments.size, offset, bytes))) return Error::InvalidProgram;
    constants = {segments.data + offset, bytes};
  }
  flatbuffer_ = flatbuffer;
  plans_ = plans;
  constants_ = constants;
  constant_offsets_ = constant_offsets;
  return Error::Ok;
}

template <Verification kVerification>
Error Program::find_method(Span<const char> name, uint32_t& method) const {
  FlatbufferReader<kVerification> reader(flatbuffer_);
  for (method = 0; method < plans_.size; ++method) {
    Table plan;
    Span<const char> other;
    bool sound = reader.table(plans_, method, plan) && reader.text(plan, schema::ExecutionPlan::VT_NAME, other);
    if (!sound) return Error::InvalidProgram;
    uint32_t same = 0;
    while (same < name.size && same < other.size && name[same] == other[same]) ++same;
    if (same == name.size && same == other.size) return Error::Ok;
  }
  return Error::NotFound;
}

template Error Program::load<Verification::kNone>(Span<const uint8_t>);
template Error Program::load<Verification::kStructure>(Span<const uint8_t>);
template Error Program::find_method<Verification::kNone>(Span<const char>, uint32_t&) const;
template Error Program::find_method<Verification::kStructure>(Span<const char>, uint32_t&) const;

}  // namespace kindling
