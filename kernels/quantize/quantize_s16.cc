#include "kernels/quantize/elements.h"

namespace kindling {

void quantize_s16(const float* input, const QuantizeParams& params, std::int16_t* output) { quantize(input, params, output); }

Error check_quantize_s16(const std::uint32_t* argument_bytes, const void* params) {
  return check_conversion<QuantizeParams>(argument_bytes, params, sizeof(float), sizeof(std::int16_t));
}

}  // namespace kindling
