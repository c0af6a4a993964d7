// What the flatbuffer says of a tensor.
#pragma once

#include <cstdint>

#include "runtime/flatbuffer.h"
#include "runtime/schema/program_generated.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Bytes of an element by ScalarType, up to BOOL; 0 where there is no such type.
inline constexpr uint8_t kElementBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 0, 0, 0, 1};

/// A tensor's size in bytes. Says whether it is sound, and less than 2^29.
template <Verification kVerification>
[[gnu::always_inline]] inline bool tensor_bytes(const FlatbufferReader<kVerification>& reader, const Table& tensor,
                                                uint32_t& bytes) {
  using executorch_flatbuffer::Tensor;
  uint32_t type;
  Span<const uint32_t> sizes;
  if (!reader.u32s(tensor, Tensor::VT_SIZES, sizes) || !reader.u8(tensor, Tensor::VT_SCALAR_TYPE, type)) return false;
  bytes = type < sizeof(kElementBytes) ? kElementBytes[type] : 0;
  if (bytes == 0) return false;
  for (uint32_t size : sizes) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return false;
  }
  return bytes >> 29 == 0;
}

}  // namespace kindling
