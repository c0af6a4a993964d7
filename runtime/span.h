// A view of consecutive objects that somebody else owns.
#pragma once

#include <cstdint>

namespace kindling {

template <typename T>
struct Span {
  T* data;
  uint32_t size;  // objects, not bytes

  Span() = default;
  constexpr Span(T* first, uint32_t count) : data(first), size(count) {}
  template <uint32_t kCount>
  constexpr Span(T (&array)[kCount]) : data(array), size(kCount) {}

  constexpr T& operator[](uint32_t i) const { return data[i]; }
  constexpr T* begin() const { return data; }
  constexpr T* end() const { return data + size; }
};

}  // namespace kindling
