// What the flatbuffer says of a tensor.
#pragma once

#include <cstdint>

#include "runtime/flatbuffer.h"
#include "runtime/schema/program_generated.h"
#include "runtime/signature.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// A type of elements, of `bytes` each.
struct Elements {
  uint8_t traits;  // the type's
  uint8_t bytes;
};

constexpr Elements elements_of(ElementType type, uint8_t bytes) { return {static_cast<uint8_t>(trait_of(type)), bytes}; }

/// By ScalarType, up to BOOL.
inline constexpr Elements kElements[] = {
    elements_of(kUint8, 1),     elements_of(kInt8, 1),      elements_of(kInt16, 2),     elements_of(kInt32, 4),
    elements_of(kOtherType, 8), elements_of(kOtherType, 2), elements_of(kFloat32, 4),   elements_of(kOtherType, 8),
    elements_of(kOtherType, 0), elements_of(kOtherType, 0), elements_of(kOtherType, 0), elements_of(kBool, 1)};

/// What a tensor is made of.
struct Extent {
  Elements elements;
  Span<const uint32_t> sizes;
  uint32_t bytes;  // in all
};

/// Says whether it is sound, and smaller than kMaxTensorBytes.
inline constexpr uint32_t kMaxTensorBytes = 1 << 24;

template <Verification kVerification>
[[gnu::always_inline]] inline bool read_extent(const FlatbufferReader<kVerification>& reader, const Table& tensor, Extent& extent) {
  using executorch_flatbuffer::Tensor;
  uint32_t type;
  if (!reader.u32s(tensor, Tensor::VT_SIZES, extent.sizes) || !reader.u8(tensor, Tensor::VT_SCALAR_TYPE, type)) return false;
  if (type >= sizeof(kElements) / sizeof(kElements[0])) return false;
  extent.elements = kElements[type];
  uint32_t bytes = extent.elements.bytes;
  if (bytes == 0) return false;
  for (uint32_t size : extent.sizes) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return false;
  }
  extent.bytes = bytes;
  return bytes < kMaxTensorBytes;
}

template <Verification kVerification>
[[gnu::always_inline]] inline bool tensor_bytes(const FlatbufferReader<kVerification>& reader, const Table& tensor, uint32_t& bytes) {
  Extent extent;
  if (!read_extent(reader, tensor, extent)) return false;
  bytes = extent.bytes;
  return true;
}

}  // namespace kindling
