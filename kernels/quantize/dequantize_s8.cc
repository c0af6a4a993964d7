#include "kernels/check.h"
#include "kernels/quantize/quantize.h"

namespace kindling {

void dequantize_s8(const std::int8_t* input, const DequantizeParams& params, float* output) {
  for (std::uint32_t i = 0; i < params.count; ++i) output[i] = static_cast<float>(input[i] - params.zero_point) * params.scale;
}

Error check_dequantize_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<DequantizeParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && params->count == argument_bytes[0] && (Size(params->count) * 4).is(argument_bytes[2]));
}

}  // namespace kindling
