// argmax and argmin: where the element is that wins against all others.
#pragma once

#include <cstdint>

#include "kernels/reduce/geometry.h"
#include "kernels/reduce/reduce.h"

namespace kindling {

/// `wins(a, b)` says whether an element a counts more than an earlier one b.
template <class Wins>
inline void reduce_to_index(const std::int8_t* input, const ReductionParams& params, std::int32_t* output, Wins wins) {
  const std::uint32_t count = params.reduced_inner, step = params.reduced_inner_step;
  for_each_output<1>(input, params, [&](const std::int8_t* element, std::int32_t) {
    std::int32_t best = *element;
    std::uint32_t where = 0;
#pragma GCC unroll 4
    for (std::uint32_t i = 1; i < count; ++i) {
      element += step;
      const std::int32_t value = *element;
      if (wins(value, best)) best = value, where = i;
    }
    *output++ = static_cast<std::int32_t>(where);
  });
}

inline Error check_index_reduction(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = reduction_of<ReductionParams>(argument_bytes, constant, sizeof(std::int32_t));
  return valid_if(params != nullptr && params->reduced_outer == 1);
}

}  // namespace kindling
