// How kernels of two operands walk through both (broadcast.py).
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/copy.h"

namespace kindling {

struct OuterAxis {
  std::uint32_t size, stride_a, stride_b;
};

constexpr std::uint32_t kMaxOuterAxes = 3;

/// Calls `row(a, b, output, count)` for runs of elements that lie next to each other in all three tensors. An element that repeats is
/// spread over a block first, so that rows need not know.
template <class Params, class Row>
void for_each_row(const std::int8_t* a, const std::int8_t* b, const Params& params, std::int8_t* output, const Row& row) {
  constexpr std::uint32_t kBlock = 64;
  std::int8_t block[kBlock];
  const bool repeats = params.repeats_a || params.repeats_b;
  const auto* axes = reinterpret_cast<const OuterAxis*>(params.axes());
  std::uint32_t index[kMaxOuterAxes] = {0, 0, 0};
  for (;;) {
    std::uint32_t count = params.length;
    if (repeats) {
      if (count > kBlock) count = kBlock;
      fill_bytes(block, params.repeats_a ? *a : *b, count);
    }
    for (std::uint32_t done = 0; done < params.length; done += count, output += count) {
      if (count > params.length - done) count = params.length - done;
      row(params.repeats_a ? block : a + done, params.repeats_b ? block : b + done, output, count);
    }
    std::uint32_t axis = 0;
    for (;; ++axis) {
      if (axis == params.outer_axes) return;
      a += axes[axis].stride_a, b += axes[axis].stride_b;
      if (++index[axis] < axes[axis].size) break;
      index[axis] = 0;
      a -= axes[axis].size * axes[axis].stride_a, b -= axes[axis].size * axes[axis].stride_b;
    }
  }
}

/// Whether the rows of the params constant are possible and cover tensors of these many bytes.
template <class Params>
bool is_broadcast(const Params& params, std::uint32_t params_bytes, std::uint32_t a_bytes, std::uint32_t b_bytes, std::uint32_t output_bytes) {
  if (params.length == 0 || params.outer_axes > kMaxOuterAxes || (params.repeats_a && params.repeats_b) ||
      !holds_array<Params>(params_bytes, params.axes_offset, params.outer_axes * sizeof(OuterAxis))) {
    return false;
  }
  const auto* axes = reinterpret_cast<const OuterAxis*>(params.axes());
  Size a = params.repeats_a ? 1 : params.length, b = params.repeats_b ? 1 : params.length, output = params.length;
  for (std::uint32_t i = 0; i < params.outer_axes; ++i) {
    if (axes[i].size == 0) return false;
    a = a + Size(axes[i].size - 1) * axes[i].stride_a;
    b = b + Size(axes[i].size - 1) * axes[i].stride_b;
    output = output * axes[i].size;
  }
  return a.is(a_bytes) && b.is(b_bytes) && output.is(output_bytes);
}

}  // namespace kindling
