// Softmax over the last dimension, int8; softmax.py has its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/softmax/params.h"

namespace kindling {

/// int8 [rows][depth] -> int8 [rows][depth] of scale 1/256 and zero point -128. The output may be the input, or start anywhere before it.
void softmax_s8(const std::int8_t* input, const SoftmaxParams& params, std::int8_t* output);
Error check_softmax_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
