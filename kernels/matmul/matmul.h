// Matrix products of two activations, int8; matmul.py says how they are laid out and how the parameters are packed.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/matmul/params.h"

namespace kindling {

/// int8 a [batches][rows][depth], b [batches][depth][columns] (or [columns][depth]) -> int8 [batches][rows][columns]. Scratch:
/// `scratch_bytes` of matmul.py. The output may overlap either operand, see `overlap_lead` there.
void matmul_s8(const std::int8_t* a, const std::int8_t* b, const MatmulParams& params, void* scratch, std::int8_t* output);
Error check_matmul_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
