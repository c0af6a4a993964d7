// Nested loops over the elements of several tensors at once, however each lies in memory.
#pragma once

#include <cstdint>

#include "runtime/upstream/tensor.h"

namespace kindling::upstream {

/// `sizes` from the outermost loop to the innermost; strides in elements, 0 where an operand stays the same.
template <uint32_t kOperands>
struct Loops {
  uint32_t rank;
  uint32_t sizes[kMaxRank];
  uint32_t strides[kOperands][kMaxRank];
};

inline constexpr uint32_t kMaxOperands = 4;

/// One loop of a nest that is being made.
struct Loop {
  uint32_t size;
  uint32_t strides[kMaxOperands];
};

/// Makes `loops`, `rank` of `operands` strides each, fewer: those of one turn go, neighbours that step as one become one. Returns how
/// many are left, at least 1. If any is of no turn, that is the one left.
uint32_t merge_loops(Loop* loops, uint32_t rank, uint32_t operands);

template <uint32_t kOperands>
Loops<kOperands> merged(Loop* loops, uint32_t rank) {
  static_assert(kOperands <= kMaxOperands);
  Loops<kOperands> result = {};
  result.rank = merge_loops(loops, rank, kOperands);
  for (uint32_t i = 0; i < result.rank; ++i) {
    result.sizes[i] = loops[i].size;
    for (uint32_t k = 0; k < kOperands; ++k) result.strides[k][i] = loops[i].strides[k];
  }
  return result;
}

/// The stride of `tensor` where the last of its dimensions but `from_end` is one of `size`: 0 if it has one element there, to be
/// repeated. `fits`: whether it can be.
inline uint32_t broadcast_stride(const Tensor& tensor, uint32_t from_end, uint32_t size, bool& fits) {
  if (from_end >= tensor.rank) return 0;
  uint32_t axis = tensor.rank - 1 - from_end;
  if (tensor.sizes[axis] == 1) return 0;
  fits = fits && tensor.sizes[axis] == size;
  return tensor.strides[axis];
}

/// Loops over the elements of `output`, which the inputs are broadcast to. Says whether they can be.
template <class... Inputs>
bool loops_over(Loops<1 + sizeof...(Inputs)>& loops, const Tensor& output, const Inputs&... inputs) {
  Loop all[kMaxRank];
  bool fits = ((inputs.rank <= output.rank) && ...);
  for (uint32_t i = 0; i < output.rank; ++i) {
    uint32_t from_end = output.rank - 1 - i, size = output.sizes[i];
    all[i] = {size, {output.strides[i], broadcast_stride(inputs, from_end, size, fits)...}};
  }
  loops = merged<1 + sizeof...(Inputs)>(all, output.rank);
  return fits;
}

/// Goes through all loops but the innermost, and calls row(offsets) for each turn of them: where each operand's row starts.
template <uint32_t kOperands, class Row>
void for_each_row(const Loops<kOperands>& loops, Row row) {
  uint32_t offsets[kOperands] = {};
  uint32_t turns[kMaxRank] = {};
  const uint32_t inner = loops.rank - 1;
  if (loops.sizes[0] == 0) return;
  for (;;) {
    row(offsets);
    uint32_t i = inner;
    for (;;) {
      if (i == 0) return;
      --i;
      for (uint32_t k = 0; k < kOperands; ++k) offsets[k] += loops.strides[k][i];
      if (++turns[i] < loops.sizes[i]) break;
      for (uint32_t k = 0; k < kOperands; ++k) offsets[k] -= loops.strides[k][i] * loops.sizes[i];
      turns[i] = 0;
    }
  }
}

/// The same for each single element: body(offsets).
template <uint32_t kOperands, class Body>
void for_each(const Loops<kOperands>& loops, Body body) {
  const uint32_t inner = loops.rank - 1;
  for_each_row(loops, [&](const uint32_t* row) {
    uint32_t offsets[kOperands];
    for (uint32_t k = 0; k < kOperands; ++k) offsets[k] = row[k];
    for (uint32_t i = loops.sizes[inner]; i > 0; --i) {
      body(offsets);
      for (uint32_t k = 0; k < kOperands; ++k) offsets[k] += loops.strides[k][inner];
    }
  });
}

}  // namespace kindling::upstream
