// Where a window lies along one axis of an image.
#pragma once

#include <cstdint>

namespace kindling {

/// The taps of a window along one axis: `before` the image, `count` inside it, of which the first is at position `first`, and
/// `after` it.
struct Span {
  std::int32_t before, first, count, after;
};

/// The span of `taps` taps that are `dilation` apart, the first at `start`, in an image of `size`.
inline Span span_inside(std::int32_t start, std::int32_t taps, std::int32_t dilation, std::int32_t size) {
  Span span;  // filled field by field: GCC makes an initialiser a call of memset on some cores
  span.before = 0, span.first = start, span.count = taps, span.after = 0;
  for (; span.count > 0 && span.first < 0; span.first += dilation) ++span.before, --span.count;
  for (std::int32_t last = start + (taps - 1) * dilation; span.count > 0 && last >= size; last -= dilation)
    ++span.after, --span.count;
  return span;
}

}  // namespace kindling
