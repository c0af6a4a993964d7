#include "kernels/elementwise/pairs_f32.h"

namespace kindling {

void maximum_f32(const float* a, const float* b, const BinaryF32Params& params, float* output) {
  for_each_pair(a, b, params, greater, output);
}

Error check_maximum_f32(const std::uint32_t* argument_bytes, const void* params) { return check_pairs(argument_bytes, params); }

}  // namespace kindling
