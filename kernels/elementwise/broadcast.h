// How kernels of two operands walk through both (broadcast.py).
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/requantise.h"

namespace kindling {

struct OuterAxis {
  std::uint32_t size, stride_a, stride_b;
};

constexpr std::uint32_t kMaxOuterAxes = 3;

/// The part of a params constant that says where elements are.
struct Rows {
  const OuterAxis* axes;
  std::uint32_t length;
  std::uint32_t outer_axes;
  bool repeats_a, repeats_b;
};

template <class Params>
Rows rows_of(const Params& params) {
  return {reinterpret_cast<const OuterAxis*>(params.axes()), params.length, params.outer_axes, params.repeats_a != 0,
          params.repeats_b != 0};
}

/// Computes `count` elements that lie next to each other in all three tensors; `operation` is the kernel's own.
using RowFunction = void (*)(const std::int8_t* a, const std::int8_t* b, const void* operation, Activation activation,
                             std::int8_t* output, std::uint32_t count);

/// Calls `row` for all rows in order. An element that repeats is spread over a block first, so that rows need not know.
void for_each_row(const std::int8_t* a, const std::int8_t* b, const Rows& rows, RowFunction row, const void* operation,
                  Activation activation, std::int8_t* output);

/// Whether the rows are possible and cover tensors of these many elements.
bool cover(const Rows& rows, std::uint32_t a_elements, std::uint32_t b_elements, std::uint32_t output_elements);

/// The same of the rows of a params constant; `argument_bytes` are a's, b's, those of params, the output's, in elements but for params.
template <class Params>
bool is_broadcast(const Params& params, const std::uint32_t* argument_bytes, bool swapped = false) {
  const std::uint32_t outer_axes = params.outer_axes;
  return outer_axes <= kMaxOuterAxes &&
         holds_array<Params>(argument_bytes[2], params.axes_offset, outer_axes * sizeof(OuterAxis)) &&
         cover(rows_of(params), argument_bytes[swapped], argument_bytes[!swapped], argument_bytes[3]);
}

/// What follows the operation, which adds the zero point itself.
template <class Params>
Activation bounds_of(const Params& params) {
  return {0, params.activation_min, params.activation_max};
}

}  // namespace kindling
