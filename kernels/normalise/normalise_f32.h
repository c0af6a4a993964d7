// Normalisation of groups of elements, float, the same on all cores; normalise_f32.py has its arithmetic.
#pragma once

#include "kernels/kernel.h"
#include "kernels/normalise/params.h"

namespace kindling {

/// float [outer][positions][groups][depth] -> the same. If groups or positions is 1 the output may be the input, or start anywhere before
/// it; else it must start 4 * (positions - 1) * groups * depth bytes before it, or more.
void normalise_f32(const float* input, const NormaliseF32Params& params, float* output);
Error check_normalise_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
