#include "kernels/quantize/rescaled.h"

namespace kindling {

void requantize_s8_s16(const std::int8_t* input, const RequantizeParams& params, std::int16_t* output) {
  requantize(input, params, output);
}

Error check_requantize_s8_s16(const std::uint32_t* argument_bytes, const void* params) {
  return check_requantize<std::int8_t, std::int16_t>(argument_bytes, params);
}

}  // namespace kindling
