#include "kernels/reduce/reduce_f32.h"

#include "kernels/float_math.h"
#include "kernels/reduce/geometry.h"

namespace kindling {
namespace {

template <class Params, class Combine>
inline float combine_floats(const float* first, const Params& params, float start, Combine combine) {
  return combine_all(first, params, start, [&](float result, const float* element) { return combine(result, *element); });
}

/// `wins(a, b)` says whether an element a counts more than an earlier one b, or is no number; the first that is none wins against all.
template <class Wins>
inline void reduce_to_index(const float* input, const ReductionParams& params, std::int32_t* output, Wins wins) {
  const std::uint32_t count = params.reduced_inner, step = params.reduced_inner_step;
  for_each_output<1>(input, params, [&](const float* element, std::int32_t) {
    float best = *element;
    std::uint32_t where = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
      element += step;
      const float value = *element;
      if (wins(value, best) && best == best) best = value, where = i;
    }
    *output++ = static_cast<std::int32_t>(where);
  });
}

}  // namespace

void sum_f32(const float* input, const SumF32Params& params, float* output) {
  for_each_output<1>(input, params, [&](const float* first, std::int32_t) {
    const auto add = [](float sum, float element) { return sum + element; };
    *output++ = combine_floats(first, params, 0.0f, add) / params.divisor;
  });
}

void amax_f32(const float* input, const ReductionParams& params, float* output) {
  for_each_output<1>(input, params,
                     [&](const float* first, std::int32_t) { *output++ = combine_floats(first, params, -kInfinity, greater); });
}

void amin_f32(const float* input, const ReductionParams& params, float* output) {
  for_each_output<1>(input, params,
                     [&](const float* first, std::int32_t) { *output++ = combine_floats(first, params, kInfinity, lesser); });
}

void argmax_f32(const float* input, const ReductionParams& params, std::int32_t* output) {
  reduce_to_index(input, params, output, [](float value, float best) { return !(value <= best); });
}

void argmin_f32(const float* input, const ReductionParams& params, std::int32_t* output) {
  reduce_to_index(input, params, output, [](float value, float best) { return !(value >= best); });
}

Error check_sum_f32(const std::uint32_t* argument_bytes, const void* params) {
  return valid_if(reduction_of<SumF32Params, sizeof(float)>(argument_bytes, params, sizeof(float)) != nullptr);
}

Error check_amax_f32(const std::uint32_t* argument_bytes, const void* params) {
  return valid_if(reduction_of<ReductionParams, sizeof(float)>(argument_bytes, params, sizeof(float)) != nullptr);
}

Error check_amin_f32(const std::uint32_t* argument_bytes, const void* params) { return check_amax_f32(argument_bytes, params); }

Error check_argmax_f32(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = reduction_of<ReductionParams, sizeof(float)>(argument_bytes, constant, sizeof(std::int32_t));
  return valid_if(params != nullptr && params->reduced_outer == 1);
}

Error check_argmin_f32(const std::uint32_t* argument_bytes, const void* params) { return check_argmax_f32(argument_bytes, params); }

}  // namespace kindling
