// A row of elements that are computed in 32 bits.
#pragma once

#include <cstdint>

#include "kernels/requantise.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include "kernels/requantise_mve.h"
#endif

// Where addressing is by post-increment or has few registers, GCC's choice of induction variables costs three instructions an element.
#if KINDLING_MVE || KINDLING_THUMB1
#define KINDLING_ROW [[gnu::optimize("no-ivopts")]]
#else
#define KINDLING_ROW
#endif

namespace kindling {

/// A RowFunction: output = operation(a, b), clamped to the activation's range. On MVE the operation is one of four elements.
///
/// With a copy of the operation, so that all its numbers stay in registers.
template <class Operation>
KINDLING_ROW void wide_row(const std::int8_t* a, const std::int8_t* b, const void* shared_operation, Activation activation,
                           std::int8_t* output, std::uint32_t count) {
  const Operation operation = *static_cast<const Operation*>(shared_operation);
#if KINDLING_MVE
  const int32x4_t lowest = vdupq_n_s32(activation.min), highest = vdupq_n_s32(activation.max);
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 4, a += 4, b += 4, output += 4) {
    const mve_pred16_t lanes = vctp32q(left);
    const int32x4_t result = operation(vldrbq_z_s32(a, lanes), vldrbq_z_s32(b, lanes));
    vstrbq_p_s32(output, vminq_s32(vmaxq_s32(result, lowest), highest), lanes);
  }
#else
  for (std::uint32_t i = 0; i < count; ++i) output[i] = saturate(operation(a[i], b[i]));
  clamp_outputs(output, count, activation);
#endif
}

}  // namespace kindling

#undef KINDLING_ROW
