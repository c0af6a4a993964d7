#include "kernels/reduce/geometry.h"
#include "kernels/reduce/reduce.h"
#include "kernels/requantise.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {
namespace {

std::int8_t result(std::int32_t sum, const SumParams& params) {
  return saturate(requantise(sum, params.multiplier, params.shift) + params.output_zero_point);
}

#if KINDLING_MVE
/// Outputs that are neighbours in the input too, four at a time.
void sum_columns(const std::int8_t* input, const SumParams& params, std::int8_t* output) {
  for_each_output<4>(input, params, [&](const std::int8_t* first, std::int32_t left) {
    const mve_pred16_t lanes = vctp32q(left);
    const auto add = [&](int32x4_t sums, const std::int8_t* element) { return vaddq_s32(sums, vldrbq_z_s32(element, lanes)); };
    std::int32_t sums[4];
    vstrwq_s32(sums, combine_all(first, params, vdupq_n_s32(params.offset), add));
    for (std::int32_t i = 0; i < 4 && i < left; ++i) *output++ = result(sums[i], params);
  });
}

void sum_runs(const std::int8_t* input, const SumParams& params, std::int8_t* output) {
  for_each_output<1>(input, params, [&](const std::int8_t* first, std::int32_t) {
    const auto add = [](std::int32_t sum, const std::int8_t* run, std::int32_t left) {
      return vaddvaq_s8(sum, vldrbq_z_s8(run, vctp8q(left)));
    };
    *output++ = result(combine_runs(first, params, params.offset, add), params);
  });
}
#endif

}  // namespace

void sum_s8(const std::int8_t* input, const SumParams& params, std::int8_t* output) {
#if KINDLING_MVE
  if (params.reduced_inner_step == 1) return sum_runs(input, params, output);
  if (params.kept_inner_step == 1) return sum_columns(input, params, output);
#endif
  for_each_output<1>(input, params, [&](const std::int8_t* first, std::int32_t) {
    const auto add = [](std::int32_t sum, const std::int8_t* element) { return sum + *element; };
    *output++ = result(combine_all(first, params, params.offset, add), params);
  });
}

Error check_sum_s8(const std::uint32_t* argument_bytes, const void* params) {
  return valid_if(reduction_of<SumParams>(argument_bytes, params, 1) != nullptr);
}

}  // namespace kindling
