#include "runtime/program.h"

#include "runtime/container.h"
#include "runtime/flatbuffer_verifier.h"
#include "runtime/program_schema.h"
#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;

/// Whether every segment lies in the file.
bool are_inside(const FlatbufferReader<Verification::kFull>& reader, const Table& root, uint32_t segment_bytes) {
  Tables segments;
  if (reader.is_absent(root, schema::Program::VT_SEGMENTS)) return true;
  if (!reader.tables(root, schema::Program::VT_SEGMENTS, segments)) return false;
  for (uint32_t i = 0; i < segments.size; ++i) {
    Table segment;
    uint32_t offset, bytes;
    bool sound = reader.table(segments, i, segment) && reader.u64(segment, schema::DataSegment::VT_OFFSET, offset) &&
                 reader.u64(segment, schema::DataSegment::VT_SIZE, bytes) && lies_in(segment_bytes, offset, bytes);
    if (!sound) return false;
  }
  return true;
}

}  // namespace

template <Verification kVerification>
Error Program::load(Span<const uint8_t> file) {
  plans_ = {};
  constexpr bool kVerify = kVerification != Verification::kNone;
  Container container;
  if (Error error = open_container<kVerification>(file, container); error != Error::Ok) return error;
  auto [flatbuffer, segments] = container;
  if constexpr (kVerification == Verification::kFull) {
    if (!is_flatbuffer(flatbuffer, kProgramSchema)) return Error::InvalidProgram;
  }

  FlatbufferReader<kVerification> reader(flatbuffer);
  Table root, constant_segment;
  Tables plans;
  Span<const Wide> constant_offsets;
  bool sound = reader.root(root) && reader.tables(root, schema::Program::VT_EXECUTION_PLAN, plans) &&
               reader.table(root, schema::Program::VT_CONSTANT_SEGMENT, constant_segment) &&
               reader.u64s(constant_segment, schema::SubsegmentOffsets::VT_OFFSETS, constant_offsets);
  if constexpr (kVerification == Verification::kFull) sound = sound && are_inside(reader, root, segments.size);
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
  segments_ = segments;
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
template Error Program::load<Verification::kFull>(Span<const uint8_t>);
template Error Program::find_method<Verification::kNone>(Span<const char>, uint32_t&) const;
template Error Program::find_method<Verification::kStructure>(Span<const char>, uint32_t&) const;
template Error Program::find_method<Verification::kFull>(Span<const char>, uint32_t&) const;

}  // namespace kindling
