#include "kernels/elementwise/pairs_f32.h"

namespace kindling {

void add_f32(const float* a, const float* b, const BinaryF32Params& params, float* output) {
  const float alpha = params.alpha;
  if (alpha == 1.0f) return for_each_pair(a, b, params, [](float x, float y) { return x + y; }, output);
  for_each_pair(a, b, params, [alpha](float x, float y) { return x + alpha * y; }, output);
}

Error check_add_f32(const std::uint32_t* argument_bytes, const void* params) { return check_pairs(argument_bytes, params); }

}  // namespace kindling
