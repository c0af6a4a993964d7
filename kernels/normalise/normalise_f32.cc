#include "kernels/normalise/normalise_f32.h"

#include "kernels/float_math.h"
#include "kernels/normalise/geometry.h"

namespace kindling {

void normalise_f32(const float* input, const NormaliseF32Params& params, float* output) {
  const float count = static_cast<float>(params.positions * params.depth);
  for_each_group(input, params, output, [&](const float* from, std::uint32_t first, float* to) {
    float mean = 0.0f;
    if (params.centred != 0) {
      for_each_element(params, [&](std::uint32_t index, std::uint32_t) { mean += from[index]; });
      mean /= count;
    }
    float squares = 0.0f;
    for_each_element(params, [&](std::uint32_t index, std::uint32_t) {
      const float distance = from[index] - mean;
      squares += distance * distance;
    });
    const float inverse = 1.0f / square_root(squares / count + params.epsilon);
    const float* factors = params.factors() + first;
    const float* offsets = params.offsets() + first;
    for_each_element(params, [&](std::uint32_t index, std::uint32_t i) {
      to[index] = (from[index] - mean) * inverse * factors[i] + offsets[i];
    });
  });
}

Error check_normalise_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<NormaliseF32Params>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && argument_bytes[0] == argument_bytes[2] &&
                  is_normalisation(*params, floats_in(argument_bytes[0]), argument_bytes[1], params->factors_offset, params->offsets_offset));
}

}  // namespace kindling
