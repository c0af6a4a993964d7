#include "runtime/upstream/loops.h"

namespace kindling::upstream {

uint32_t merge_loops(Loop* loops, uint32_t rank, uint32_t operands) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    const Loop loop = loops[i];
    if (loop.size == 0) {
      loops[0] = {};
      return 1;
    }
    if (loop.size == 1) continue;
    Loop& outer = loops[kept == 0 ? 0 : kept - 1];
    bool as_one = kept > 0;
    for (uint32_t k = 0; as_one && k < operands; ++k) as_one = outer.strides[k] == loop.strides[k] * loop.size;
    if (!as_one) {
      loops[kept++] = loop;
      continue;
    }
    outer.size *= loop.size;
    for (uint32_t k = 0; k < operands; ++k) outer.strides[k] = loop.strides[k];
  }
  if (kept == 0) loops[kept++] = {1, {}};
  return kept;
}

}  // namespace kindling::upstream
