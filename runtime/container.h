// The outer form of a .pte: a flatbuffer, then segments of data.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

struct Container {
  Span<const uint8_t> flatbuffer;  // from the start of the file on
  Span<const uint8_t> segments;    // what their offsets count from, up to the end of the file
};

/// Opens `file`, a whole .pte aligned to 16 bytes. It is little-endian, and the size of its flatbuffer a multiple of 4.
/// InvalidArgument: it is misaligned. InvalidProgram: it is no .pte of generation ET12, or truncated.
template <Verification kVerification>
inline Error open_container(Span<const uint8_t> file, Container& container) {
  // The flatbuffer's root offset and identifier, then the extended header, which is there if segments are.
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
  container.flatbuffer = {file.data, flatbuffer_bytes.low};
  container.segments = {file.data + segment_base.low, file.size - segment_base.low};
  return Error::Ok;
}

}  // namespace kindling
