// Sums, maxima and minima over axes of an int8 tensor; reduce.py has the arithmetic. For each output the input's elements are
// [reduced_outer][reduced_inner], steps apart; outputs are [kept_outer][kept_inner].
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/reduce/params.h"

namespace kindling {

void sum_s8(const std::int8_t* input, const SumParams& params, std::int8_t* output);
Error check_sum_s8(const std::uint32_t* argument_bytes, const void* params);

void amax_s8(const std::int8_t* input, const ReductionParams& params, std::int8_t* output);
Error check_amax_s8(const std::uint32_t* argument_bytes, const void* params);

void amin_s8(const std::int8_t* input, const ReductionParams& params, std::int8_t* output);
Error check_amin_s8(const std::uint32_t* argument_bytes, const void* params);

/// The first of equal maxima wins. Only one of the reduced axes is more than 1 long.
void argmax_s8(const std::int8_t* input, const ReductionParams& params, std::int32_t* output);
Error check_argmax_s8(const std::uint32_t* argument_bytes, const void* params);

/// Likewise with minima.
void argmin_s8(const std::int8_t* input, const ReductionParams& params, std::int32_t* output);
Error check_argmin_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
