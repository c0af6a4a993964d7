#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/wide_row.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

#if KINDLING_MVE
class Sum {
 public:
  explicit Sum(const AddParams& params)
      : params_(params), step_a_(vdupq_n_s32(params.step_a)), step_b_(vdupq_n_s32(params.step_b)) {}

  int32x4_t operator()(int32x4_t a, int32x4_t b) const {
    const int32x4_t scaled_b = requantise(vmlasq_n_s32(b, step_b_, params_.offset_b), params_.multiplier_b, -params_.right_shift_b);
    const int32x4_t sum = vaddq_s32(vmlasq_n_s32(a, step_a_, params_.offset_a), scaled_b);
    return vaddq_n_s32(requantise(sum, params_.output_multiplier, -params_.output_right_shift), params_.output_zero_point);
  }

 private:
  const AddParams& params_;
  int32x4_t step_a_, step_b_;
};
#else
class Sum {
 public:
  explicit Sum(const AddParams& params)
      : step_a_(params.step_a),
        offset_a_(params.offset_a),
        step_b_(params.step_b),
        offset_b_(params.offset_b),
        zero_point_(params.output_zero_point),
        factor_b_(params.multiplier_b, params.right_shift_b, 0),
        output_factor_(params.output_multiplier, params.output_right_shift, 0) {}

  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t sum = a * step_a_ + offset_a_ + factor_b_.apply(b * step_b_ + offset_b_);
    return output_factor_.apply(sum) + zero_point_;
  }

 private:
  std::int32_t step_a_, offset_a_, step_b_, offset_b_, zero_point_;
  NarrowFactor factor_b_, output_factor_;
};
#endif

bool is_shift(std::uint8_t shift) { return shift >= 1 && shift <= 31; }

}  // namespace

void add_s8(const std::int8_t* first, const std::int8_t* second, const AddParams& params, std::int8_t* output) {
  const Sum sum(params);
  for_each_row(params.swapped ? second : first, params.swapped ? first : second, params, output,
               [&](const std::int8_t* a, const std::int8_t* b, std::int8_t* y, std::uint32_t count) {
                 wide_row(a, b, sum, params, y, count);
               });
}

Error check_add_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AddParams>(constant, argument_bytes[2]);
  if (params == nullptr) return Error::InvalidArgument;
  const std::uint32_t a = params->swapped ? 1 : 0;
  return valid_if(is_broadcast(*params, argument_bytes[2], argument_bytes[a], argument_bytes[1 - a], argument_bytes[3]) &&
                  is_shift(params->right_shift_b) && is_shift(params->output_right_shift));
}

}  // namespace kindling
