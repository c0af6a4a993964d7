#include "kernels/quantize/rescaled.h"

namespace kindling {

void requantize_s16_s16(const std::int16_t* input, const RequantizeParams& params, std::int16_t* output) {
  requantize(input, params, output);
}

Error check_requantize_s16_s16(const std::uint32_t* argument_bytes, const void* params) {
  return check_requantize<std::int16_t, std::int16_t>(argument_bytes, params);
}

}  // namespace kindling
