#include "kernels/check.h"
#include "kernels/quantize/quantize.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// To the nearest integer, half to even, of a number in [-256, 256]: adding 1.5 * 2^23 leaves the integer in the low bits.
std::int32_t rounded(float x) {
  constexpr float kMagic = 12582912.0f;
  const float shifted = x + kMagic;
  std::int32_t bits;
  static_assert(sizeof(bits) == sizeof(shifted));
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return bits - 0x4b400000;
}

}  // namespace

void quantize_s8(const float* input, const QuantizeParams& params, std::int8_t* output) {
  for (std::uint32_t i = 0; i < params.count; ++i) {
    float x = input[i] * params.inverse_scale;
    if (!(x > -256.0f)) x = x <= -256.0f ? -256.0f : 0.0f;  // not a number becomes 0
    if (x > 256.0f) x = 256.0f;
    output[i] = clamp(rounded(x) + params.zero_point, -128, 127);
  }
}

Error check_quantize_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<QuantizeParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && (Size(params->count) * 4).is(argument_bytes[0]) && params->count == argument_bytes[2]);
}

}  // namespace kindling
