// A tensor of a program that upstream made.
#pragma once

#include <cstdint>

namespace kindling::upstream {

/// Dimensions that a tensor can have here.
inline constexpr uint32_t kMaxRank = 5;

/// Element types by ExecuTorch's numbers; those that operators here know.
enum class ScalarType : uint8_t { kByte = 0, kChar = 1, kShort = 2, kInt = 3, kLong = 4, kFloat = 6, kDouble = 7, kBool = 11 };

/// `strides` are in elements and follow from sizes and the order of dimensions: no tensor here has gaps.
struct Tensor {
  uint8_t* data;
  ScalarType type;
  bool is_constant;
  uint32_t element_bytes;
  uint32_t count;  // of elements
  uint32_t rank;
  uint32_t sizes[kMaxRank];
  uint32_t strides[kMaxRank];

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }

  uint32_t size_from_end(uint32_t i) const { return i < rank ? sizes[rank - 1 - i] : 1; }

  bool is(ScalarType other) const { return type == other; }
  bool has_sizes(const uint32_t* other, uint32_t other_rank) const {
    for (uint32_t i = 0; i < rank && rank == other_rank; ++i) {
      if (sizes[i] != other[i]) return false;
    }
    return rank == other_rank;
  }
  bool has_sizes_of(const Tensor& other) const { return has_sizes(other.sizes, other.rank); }
  /// Whether elements lie in the order of their indices.
  bool is_row_major() const {
    uint32_t stride = 1;
    for (uint32_t i = rank; i-- > 0; stride *= sizes[i]) {
      if (sizes[i] != 1 && strides[i] != stride) return false;
    }
    return true;
  }
};

}  // namespace kindling::upstream
