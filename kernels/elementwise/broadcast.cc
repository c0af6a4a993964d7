#include "kernels/elementwise/broadcast.h"

#include "kernels/copy.h"

namespace kindling {

void for_each_row(const std::int8_t* a, const std::int8_t* b, const Rows& rows, RowFunction row, const void* operation,
                  Activation activation, std::int8_t* output) {
  constexpr std::uint32_t kBlock = 64;
  std::int8_t block[kBlock];
  const bool repeats = rows.repeats_a || rows.repeats_b;
  std::uint32_t index[kMaxOuterAxes];
  for (std::uint32_t& i : index) i = 0;  // an initialiser would be a call of memset on some cores
  for (;;) {
    std::uint32_t count = rows.length;
    if (repeats) {
      if (count > kBlock) count = kBlock;
      fill_bytes(block, rows.repeats_a ? *a : *b, count);
    }
    for (std::uint32_t done = 0; done < rows.length; done += count, output += count) {
      if (count > rows.length - done) count = rows.length - done;
      row(rows.repeats_a ? block : a + done, rows.repeats_b ? block : b + done, operation, activation, output, count);
    }
    std::uint32_t i = 0;
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
