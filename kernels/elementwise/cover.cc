#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"

namespace kindling {

bool cover(const Rows& rows, std::uint32_t a_elements, std::uint32_t b_elements, std::uint32_t output_elements) {
  if (rows.length == 0 || (rows.repeats_a && rows.repeats_b)) return false;
  Size a = rows.repeats_a ? 1 : rows.length, b = rows.repeats_b ? 1 : rows.length, output = rows.length;
  for (std::uint32_t i = 0; i < rows.outer_axes; ++i) {
    const OuterAxis& axis = rows.axes[i];
    if (axis.size == 0) return false;
    a = a + Size(axis.size - 1) * axis.stride_a;
    b = b + Size(axis.size - 1) * axis.stride_b;
    output = output * axis.size;
  }
  return a.is(a_elements) && b.is(b_elements) && output.is(output_elements);
}

}  // namespace kindling
