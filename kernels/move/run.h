// Copying and filling runs of neighbouring bytes, in rising order, by words where the alignment of the ends allows. What fills is a
// pattern of four bytes, the lowest first, again and again from the run's start.
#pragma once

#include <cstdint>

#include "kernels/copy.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {

#if KINDLING_MVE
inline void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target) { copy_bytes(target, source, count); }
inline void fill_run(std::int8_t* target, std::uint32_t pattern, std::uint32_t count) {
  const int8x16_t values = vreinterpretq_s8_u32(vdupq_n_u32(pattern));
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 16, target += 16) {
    vstrbq_p_s8(target, values, vctp8q(left));
  }
}
#else
void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target);
void fill_run(std::int8_t* target, std::uint32_t pattern, std::uint32_t count);
#endif

}  // namespace kindling
