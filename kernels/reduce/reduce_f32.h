// Sums, maxima and minima over axes of a float tensor, the same on all cores; reduce_f32.py has the arithmetic. For each output the
// input's elements are [reduced_outer][reduced_inner], steps apart; outputs are [kept_outer][kept_inner]. A caller that knows shapes only
// at run time fills the params itself.
#pragma once

#include "kernels/kernel.h"
#include "kernels/reduce/params.h"

namespace kindling {

/// A sum divided by params.divisor: a mean where that is the number of elements.
void sum_f32(const float* input, const SumF32Params& params, float* output);
Error check_sum_f32(const std::uint32_t* argument_bytes, const void* params);

/// Not a number if one of the elements is none.
void amax_f32(const float* input, const ReductionParams& params, float* output);
Error check_amax_f32(const std::uint32_t* argument_bytes, const void* params);

void amin_f32(const float* input, const ReductionParams& params, float* output);
Error check_amin_f32(const std::uint32_t* argument_bytes, const void* params);

/// The first of equal maxima wins, and the first that is not a number against all that are. Only one of the reduced axes is more than 1
/// long.
void argmax_f32(const float* input, const ReductionParams& params, std::int32_t* output);
Error check_argmax_f32(const std::uint32_t* argument_bytes, const void* params);

/// Likewise with minima.
void argmin_f32(const float* input, const ReductionParams& params, std::int32_t* output);
Error check_argmin_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
