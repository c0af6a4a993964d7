#include "kernels/elementwise/broadcast.h"

#include "kernels/copy.h"

// What runs once a row is to be short; what runs once an element is the kernel's.
#if defined(__arm__)
#define KINDLING_SMALL [[gnu::noinline, gnu::optimize("Os")]]
#else
#define KINDLING_SMALL
#endif

namespace kindling {
namespace {

constexpr std::uint32_t kBlock = 64;

/// Whether rows are short, and those of one operand lie next to each other along the innermost outer axis: then they are computed as
/// long ones.
KINDLING_SMALL bool are_joined(const Rows& rows) {
  if (rows.outer_axes == 0 || rows.length > kBlock / 2) return false;
  const OuterAxis& axis = rows.axes[0];
  return (!rows.repeats_a && axis.stride_a == rows.length) || (!rows.repeats_b && axis.stride_b == rows.length);
}

/// Lays rows side by side, each `stride` behind the other, as many as fit the block, but no more than `elements`. Returns the elements
/// laid; `rows` ends up behind them.
KINDLING_SMALL std::uint32_t lay(std::int8_t* block, const std::int8_t*& rows, std::uint32_t stride, bool repeats, std::uint32_t length,
                  std::uint32_t elements) {
  std::uint32_t laid = 0;
  for (; laid < elements && laid + length <= kBlock; laid += length, rows += stride) {
    if (repeats) {
      fill_bytes(block + laid, *rows, length);
    } else {
      for (std::uint32_t i = 0; i < length; ++i) block[laid + i] = rows[i];
    }
  }
  return laid;
}

}  // namespace

KINDLING_SMALL void for_each_row(const std::int8_t* a, const std::int8_t* b, const Rows& rows, RowFunction row, const void* operation,
                  Activation activation, std::int8_t* output) {
  alignas(4) std::int8_t block[kBlock];
  const std::uint32_t length = rows.length < kBlock ? rows.length : kBlock;
  const bool repeats = rows.repeats_a || rows.repeats_b, joined = are_joined(rows);
  // One operand may have to be read from the block: one that repeats, or whose joined rows do not lie next to each other.
  const bool lays = repeats || joined;
  const bool lays_a = rows.repeats_a || (joined && !rows.repeats_b && rows.axes[0].stride_a != length);
  std::uint32_t elements = rows.length, stride = 0;
  if (joined) {
    elements *= rows.axes[0].size;
    stride = lays_a ? rows.axes[0].stride_a : rows.axes[0].stride_b;
  }
  std::uint32_t index[kMaxOuterAxes];
  for (std::uint32_t& i : index) i = 0;  // an initialiser would be a call of memset on some cores
  for (;;) {
    const std::int8_t *moving = lays_a ? b : a, *other = lays_a ? a : b, *to_lay = other;
    std::uint32_t laid = 0;
    for (std::uint32_t left = elements, count = left; left > 0; moving += count, output += count, left -= count) {
      if (lays) {
        if (laid == 0 || stride != 0) laid = lay(block, to_lay, stride, repeats, length, left);
        other = block;
        count = laid < left ? laid : left;
      }
      row(lays_a ? other : moving, lays_a ? moving : other, operation, activation, output, count);
    }
    std::uint32_t i = joined ? 1 : 0;
    for (;; ++i) {
      if (i == rows.outer_axes) return;
      const OuterAxis& axis = rows.axes[i];
      a += axis.stride_a, b += axis.stride_b;
      if (++index[i] < axis.size) break;
      index[i] = 0;
      a -= axis.size * axis.stride_a, b -= axis.size * axis.stride_b;
    }
  }
}

}  // namespace kindling
