// Where a method keeps what it has prepared: memory of the caller's, given out from its start, never given back.
#pragma once

#include <cstdint>

#include "runtime/span.h"

namespace kindling::upstream {

/// Goes on counting when there is no room left, so that one attempt says how much room it takes.
class Arena {
 public:
  explicit Arena(Span<uint8_t> memory) : memory_(memory) {}

  /// Room for `count` T, aligned as a pointer is; null if there is none.
  template <class T>
  T* take(uint32_t count = 1) {
    static_assert(alignof(T) <= alignof(void*));
    uint32_t start = used_;
    uint32_t bytes;
    if (__builtin_mul_overflow(bytes_of<T>(), count, &bytes) || __builtin_add_overflow(used_, bytes, &used_)) used_ = UINT32_MAX;
    return used_ <= memory_.size ? reinterpret_cast<T*>(memory_.data + start) : nullptr;
  }

  /// Bytes that one T takes.
  template <class T>
  static constexpr uint32_t bytes_of() {
    return (sizeof(T) + alignof(void*) - 1) / alignof(void*) * alignof(void*);
  }

  /// Bytes given out, and asked for in vain.
  uint32_t used() const { return used_; }
  bool is_exhausted() const { return used_ > memory_.size; }

 private:
  Span<uint8_t> memory_;
  uint32_t used_ = 0;
};

}  // namespace kindling::upstream
