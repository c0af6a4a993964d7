// Element-wise sum, int8; add.py has its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/elementwise/params.h"
#include "kernels/kernel.h"

namespace kindling {

/// int8 [count], int8 [count] -> int8 [count]. The output may be either input, or start anywhere before it.
void add_s8(const std::int8_t* a, const std::int8_t* b, const AddParams& params, std::int8_t* output);
Error check_add_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
