#include "kernels/elementwise/extreme.h"

namespace kindling {

void minimum_s8(const std::int8_t* a, const std::int8_t* b, const ExtremeParams& params, std::int8_t* output) {
  extreme<false>(a, b, params, output);
}

Error check_minimum_s8(const std::uint32_t* argument_bytes, const void* params) { return check_extreme(argument_bytes, params); }

}  // namespace kindling
