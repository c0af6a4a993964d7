// Copying and filling bytes without a library: by vectors, by words where both ends are aligned, else by bytes.
#pragma once

#include <cstdint>

#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {

inline void copy_bytes(std::int8_t* target, const std::int8_t* source, std::uint32_t count) {
#if KINDLING_MVE
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 16, target += 16, source += 16) {
    const mve_pred16_t lanes = vctp8q(left);
    vstrbq_p_s8(target, vldrbq_z_s8(source, lanes), lanes);
  }
#else
  if (((reinterpret_cast<std::uintptr_t>(target) | reinterpret_cast<std::uintptr_t>(source)) & 3) == 0) {
    for (; count >= 4; count -= 4, target += 4, source += 4) {
      using Word [[gnu::may_alias]] = std::uint32_t;
      *reinterpret_cast<Word*>(target) = *reinterpret_cast<const Word*>(source);
    }
  }
  for (; count > 0; --count) *target++ = *source++;
#endif
}

inline void fill_bytes(std::int8_t* target, std::int8_t value, std::uint32_t count) {
#if KINDLING_MVE
  const int8x16_t values = vdupq_n_s8(value);
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 16, target += 16) {
    vstrbq_p_s8(target, values, vctp8q(left));
  }
#else
  for (; count > 0 && (reinterpret_cast<std::uintptr_t>(target) & 3) != 0; --count) *target++ = value;
  const std::uint32_t four_values = static_cast<std::uint8_t>(value) * 0x01010101u;
  for (; count >= 4; count -= 4, target += 4) {
    using Word [[gnu::may_alias]] = std::uint32_t;
    *reinterpret_cast<Word*>(target) = four_values;
  }
  for (; count > 0; --count) *target++ = value;
#endif
}

}  // namespace kindling
