#include "runtime/state.h"

#include "runtime/flatbuffer.h"
#include "runtime/schema/program_generated.h"
#include "runtime/tensor.h"

namespace kindling {
namespace {

namespace schema = executorch_flatbuffer;

using Reader = FlatbufferReader<Verification::kStructure>;

/// By words, as far as these go: memory that lasts starts at a multiple of 16 bytes.
void clear(Span<uint8_t> memory) {
  uint32_t i = 0;
  for (auto* words = reinterpret_cast<uint32_t*>(memory.data); i + 4 <= memory.size; i += 4) *words++ = 0;
  for (; i < memory.size; ++i) memory.data[i] = 0;
}

/// By words where both start at one.
void copy(const uint8_t* source, uint32_t bytes, uint8_t* target) {
  uint32_t i = 0;
  if (is_aligned(source, 4) && is_aligned(target, 4)) {
    for (; i + 4 <= bytes; i += 4) *reinterpret_cast<uint32_t*>(target + i) = *reinterpret_cast<const uint32_t*>(source + i);
  }
  for (; i < bytes; ++i) target[i] = source[i];
}

/// The first values of a program.
struct FirstValues {
  Span<const uint8_t> segment;
  Span<const Wide> offsets;
};

bool find_first_values(const Reader& reader, const Program& program, FirstValues& values) {
  Table root, part, segment;
  Tables parts, segments;
  uint32_t index, offset, bytes;
  if (!reader.root(root) || !reader.tables(root, schema::Program::VT_MUTABLE_DATA_SEGMENTS, parts)) return false;
  values = {{nullptr, 0}, {nullptr, 0}};
  if (parts.size == 0) return true;
  bool sound = reader.table(parts, 0, part) && reader.u32(part, schema::SubsegmentOffsets::VT_SEGMENT_INDEX, index) &&
               reader.u64s(part, schema::SubsegmentOffsets::VT_OFFSETS, values.offsets) &&
               reader.tables(root, schema::Program::VT_SEGMENTS, segments) && reader.table(segments, index, segment) &&
               reader.u64(segment, schema::DataSegment::VT_OFFSET, offset) &&
               reader.u64(segment, schema::DataSegment::VT_SIZE, bytes) && lies_in(program.segments().size, offset, bytes);
  if (sound) values.segment = {program.segments().data + offset, bytes};
  return sound;
}

Error put_first_value(const Reader& reader, const Table& tensor, const FirstValues& values, const Environment& environment) {
  Table details;
  uint32_t buffer, bytes, region, offset;
  if (reader.is_absent(tensor, schema::Tensor::VT_ALLOCATION_INFO) || reader.is_absent(tensor, schema::Tensor::VT_DATA_BUFFER_IDX)) {
    return Error::Ok;
  }
  bool sound = reader.u32(tensor, schema::Tensor::VT_DATA_BUFFER_IDX, buffer) && buffer < values.offsets.size &&
               values.offsets[buffer].high == 0 && tensor_bytes(reader, tensor, bytes) &&
               lies_in(values.segment.size, values.offsets[buffer].low, bytes) &&
               reader.table(tensor, schema::Tensor::VT_ALLOCATION_INFO, details) &&
               reader.u32(details, schema::AllocationDetails::VT_MEMORY_ID, region) && region - 1 < environment.regions.size &&
               reader.u32(details, schema::AllocationDetails::VT_MEMORY_OFFSET_LOW, offset);
  if (!sound) return Error::InvalidProgram;
  if (environment.regions[region - 1].data != environment.state.data) return Error::NotSupported;
  if (!lies_in(environment.state.size, offset, bytes)) return Error::InvalidProgram;
  copy(values.segment.data + values.offsets[buffer].low, bytes, environment.state.data + offset);
  return Error::Ok;
}

}  // namespace

Error reset_state(const Program& program, uint32_t method, const Environment& environment) {
  if (method >= program.plans().size) return Error::NotFound;
  clear(environment.state);
  Reader reader(program.flatbuffer());
  FirstValues first_values;
  Table plan;
  Tables values;
  bool sound = find_first_values(reader, program, first_values) && reader.table(program.plans(), method, plan) &&
               reader.tables(plan, schema::ExecutionPlan::VT_VALUES, values);
  if (!sound) return Error::InvalidProgram;
  for (uint32_t i = 0; i < values.size; ++i) {
    Table value, tensor;
    uint32_t kind;
    sound = reader.table(values, i, value) && reader.u8(value, schema::EValue::VT_VAL_TYPE, kind);
    if (!sound) return Error::InvalidProgram;
    if (kind != static_cast<uint32_t>(schema::KernelTypes::Tensor)) continue;
    if (!reader.table(value, schema::EValue::VT_VAL, tensor)) return Error::InvalidProgram;
    if (Error error = put_first_value(reader, tensor, first_values, environment); error != Error::Ok) return error;
  }
  return Error::Ok;
}

}  // namespace kindling
