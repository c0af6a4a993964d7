// Softmax over one axis, and its logarithm, int8; softmax.py has its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/softmax/params.h"

namespace kindling {

/// int8 [outer][depth][inner] -> the same of scale 1/256 and zero point -128, over depth. If inner is 1 the output may be the
/// input, or start anywhere before it; else it must start (depth - 1) * inner bytes before it, or more.
void softmax_s8(const std::int8_t* input, const SoftmaxParams& params, std::int8_t* output);
Error check_softmax_s8(const std::uint32_t* argument_bytes, const void* params);

/// The same with the logarithm of each result, of any scale and zero point.
void log_softmax_s8(const std::int8_t* input, const LogSoftmaxParams& params, std::int8_t* output);
Error check_log_softmax_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
