// Softmax of floats over one axis, and its logarithm, the same on all cores; softmax_f32.py has its arithmetic. A caller that knows shapes only at run time
// fills the params itself.
#pragma once

#include "kernels/kernel.h"
#include "kernels/softmax/params.h"

namespace kindling {

/// float [outer][depth][inner] -> the same, over depth. If inner is 1 the output may be the input, or start anywhere before it; else it
/// must start 4 * (depth - 1) * inner bytes before it, or more.
void softmax_f32(const float* input, const SoftmaxF32Params& params, float* output);
Error check_softmax_f32(const std::uint32_t* argument_bytes, const void* params);

/// The same with the logarithm of each result.
void log_softmax_f32(const float* input, const SoftmaxF32Params& params, float* output);
Error check_log_softmax_f32(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
