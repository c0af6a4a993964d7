// amax and amin: the element that wins against all others.
#pragma once

#include <cstdint>

#include "kernels/reduce/geometry.h"
#include "kernels/reduce/reduce.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {

/// `Order` says which of two numbers, or of two vectors, wins; kWorst, which loses; and the best of a number and the lanes of a vector.
template <class Order>
inline void reduce_to_extreme(const std::int8_t* input, const ReductionParams& params, std::int8_t* output) {
#if KINDLING_MVE
  if (params.reduced_inner_step == 1) {
    return for_each_output<1>(input, params, [&](const std::int8_t* first, std::int32_t) {
      const auto better = [](std::int32_t best, const std::int8_t* run, std::int32_t left) {
        const mve_pred16_t lanes = vctp8q(left);
        return Order::of(best, vldrbq_z_s8(run, lanes), lanes);
      };
      *output++ = static_cast<std::int8_t>(combine_runs(first, params, Order::kWorst, better));
    });
  }
  if (params.kept_inner_step == 1) {
    return for_each_output<16>(input, params, [&](const std::int8_t* first, std::int32_t left) {
      const mve_pred16_t lanes = vctp8q(left);
      const auto better = [&](int8x16_t best, const std::int8_t* element) { return Order::of(best, vldrbq_z_s8(element, lanes)); };
      vstrbq_p_s8(output, combine_all(first, params, vdupq_n_s8(Order::kWorst), better), lanes);
      output += left < 16 ? left : 16;
    });
  }
#endif
  for_each_output<1>(input, params, [&](const std::int8_t* first, std::int32_t) {
    const auto better = [](std::int32_t best, const std::int8_t* element) { return Order::of(best, std::int32_t{*element}); };
    *output++ = static_cast<std::int8_t>(combine_all(first, params, Order::kWorst, better));
  });
}

}  // namespace kindling
