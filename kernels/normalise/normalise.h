// Normalisation of groups of elements, int8; normalise.py has its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/normalise/params.h"

namespace kindling {

/// int8 [outer][positions][groups][depth] -> the same. If groups or positions is 1 the output may be the input, or start anywhere before
/// it; else it must start (positions - 1) * groups * depth bytes before it, or more.
void normalise_s8(const std::int8_t* input, const NormaliseParams& params, std::int8_t* output);
Error check_normalise_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
