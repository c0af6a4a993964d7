// What minimum and maximum share.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/requantise.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#elif KINDLING_DSP
#include <arm_acle.h>
#endif

namespace kindling {

/// A RowFunction: the lesser or the greater of each pair of elements.
template <bool kMaximum>
void extreme_row(const std::int8_t* a, const std::int8_t* b, const void*, Activation activation, std::int8_t* output,
                 std::uint32_t count) {
#if KINDLING_MVE
  const int8x16_t lowest = vdupq_n_s8(activation.min), highest = vdupq_n_s8(activation.max);
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 16, a += 16, b += 16, output += 16) {
    const mve_pred16_t lanes = vctp8q(left);
    const int8x16_t x = vldrbq_z_s8(a, lanes), y = vldrbq_z_s8(b, lanes);
    const int8x16_t extreme = kMaximum ? vmaxq_s8(x, y) : vminq_s8(x, y);
    vstrbq_p_s8(output, vminq_s8(vmaxq_s8(extreme, lowest), highest), lanes);
  }
#else
  std::uint32_t i = 0;
#if KINDLING_DSP
  using Word [[gnu::may_alias]] = std::uint32_t;
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  if (((address(a) | address(b) | address(output)) & 3) == 0) {
    for (; i + 4 <= count; i += 4) {
      const Word x = *reinterpret_cast<const Word*>(a + i), y = *reinterpret_cast<const Word*>(b + i);
      __ssub8(static_cast<int8x4_t>(x), static_cast<int8x4_t>(y));  // tells SEL where x is not less
      *reinterpret_cast<Word*>(output + i) = kMaximum ? __sel(x, y) : __sel(y, x);
    }
  }
#endif
  for (; i < count; ++i) output[i] = (a[i] > b[i]) == kMaximum ? a[i] : b[i];
  clamp_outputs(output, count, activation);
#endif
}

template <bool kMaximum>
void extreme(const std::int8_t* a, const std::int8_t* b, const ExtremeParams& params, std::int8_t* output) {
  for_each_row(a, b, rows_of(params), extreme_row<kMaximum>, nullptr, bounds_of(params), output);
}

inline Error check_extreme(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<ExtremeParams>(constant, argument_bytes[2]);
  return valid_if(params != nullptr && is_broadcast(*params, argument_bytes));
}

}  // namespace kindling
