// Any function of one int8 value; table.py has its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/table/params.h"

namespace kindling {

/// int8 [count] -> int8 [count]. The output may be the input, or start anywhere before it.
void table_s8(const std::int8_t* input, const TableParams& params, std::int8_t* output);
Error check_table_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
