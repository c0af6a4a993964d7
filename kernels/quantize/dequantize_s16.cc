#include "kernels/quantize/elements.h"

namespace kindling {

void dequantize_s16(const std::int16_t* input, const DequantizeParams& params, float* output) { dequantize(input, params, output); }

Error check_dequantize_s16(const std::uint32_t* argument_bytes, const void* params) {
  return check_conversion<DequantizeParams>(argument_bytes, params, sizeof(std::int16_t), sizeof(float));
}

}  // namespace kindling
