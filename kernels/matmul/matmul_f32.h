// Matrix products of two activations of floats, the same on all cores; matmul_f32.py says how they are laid out.
#pragma once

#include "kernels/kernel.h"
#include "kernels/matmul/params.h"

namespace kindling {

/// float a [batches][rows][depth], b [batches][depth][columns] (or [columns][depth]) -> float [batches][rows][columns]. The output may
/// overlap either operand, see `overlap_lead` in matmul_f32.py.
void matmul_f32(const float* a, const float* b, const MatmulF32Params& params, float* output);
Error check_matmul_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
