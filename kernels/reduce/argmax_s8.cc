#include "kernels/reduce/geometry.h"
#include "kernels/reduce/reduce.h"

namespace kindling {

void argmax_s8(const std::int8_t* input, const ReductionParams& params, std::int32_t* output) {
  const std::uint32_t count = params.reduced_inner, step = params.reduced_inner_step;
  for_each_output<1>(input, params, [&](const std::int8_t* element, std::int32_t) {
    std::int32_t largest = *element;
    std::uint32_t where = 0;
#pragma GCC unroll 4
    for (std::uint32_t i = 1; i < count; ++i) {
      element += step;
      const std::int32_t value = *element;
      if (value > largest) largest = value, where = i;
    }
    *output++ = static_cast<std::int32_t>(where);
  });
}

Error check_argmax_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = reduction_of<ReductionParams>(argument_bytes, constant, 4);
  return valid_if(params != nullptr && params->reduced_outer == 1);
}

}  // namespace kindling
