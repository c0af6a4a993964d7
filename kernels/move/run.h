// Copying and filling runs of neighbouring bytes, in rising order, by words where the alignment of the ends allows.
#pragma once

#include <cstdint>

#include "kernels/copy.h"
#include "kernels/target.h"

namespace kindling {

#if KINDLING_MVE
inline void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target) { copy_bytes(target, source, count); }
inline void fill_run(std::int8_t* target, std::int8_t value, std::uint32_t count) { fill_bytes(target, value, count); }
#else
void copy_run(const std::int8_t* source, std::uint32_t count, std::int8_t* target);
void fill_run(std::int8_t* target, std::int8_t value, std::uint32_t count);
#endif

}  // namespace kindling
