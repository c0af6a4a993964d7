#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/wide_row.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

class Sum {
 public:
#if KINDLING_MVE
  explicit Sum(const AddParams& params)
      : step_a_(vdupq_n_s32(params.step_a)),
        step_b_(vdupq_n_s32(params.step_b)),
        offset_a_(params.offset_a),
        offset_b_(params.offset_b),
        multiplier_b_(params.multiplier_b),
        shift_b_(-params.right_shift_b),
        output_multiplier_(params.output_multiplier),
        output_shift_(-params.output_right_shift),
        zero_point_(params.output_zero_point) {}

  int32x4_t operator()(int32x4_t a, int32x4_t b) const {
    const int32x4_t scaled_b = requantise(vmlasq_n_s32(b, step_b_, offset_b_), multiplier_b_, shift_b_);
    const int32x4_t sum = vaddq_s32(vmlasq_n_s32(a, step_a_, offset_a_), scaled_b);
    return vaddq_n_s32(requantise(sum, output_multiplier_, output_shift_), zero_point_);
  }

 private:
  int32x4_t step_a_, step_b_;
  std::int32_t offset_a_, offset_b_, multiplier_b_, shift_b_, output_multiplier_, output_shift_, zero_point_;
#else
  explicit Sum(const AddParams& params)
      : twice_step_a_(2 * params.step_a),
        twice_offset_a_(2 * params.offset_a),
        twice_step_b_(2 * params.step_b),
        twice_offset_b_(2 * params.offset_b),
        zero_point_(params.output_zero_point),
        factor_b_(params.multiplier_b, params.right_shift_b, 0),
        output_factor_(params.output_multiplier, params.output_right_shift, 0) {}

  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t scaled_b = factor_b_.apply_to_double(b * twice_step_b_ + twice_offset_b_);
    return output_factor_.apply_to_double(a * twice_step_a_ + twice_offset_a_ + 2 * scaled_b) + zero_point_;
  }

 private:
  std::int32_t twice_step_a_, twice_offset_a_, twice_step_b_, twice_offset_b_, zero_point_;
  NarrowFactor factor_b_, output_factor_;
#endif
};

bool is_shift(std::uint8_t shift) { return shift >= 1 && shift <= 31; }

}  // namespace

void add_s8(const std::int8_t* first, const std::int8_t* second, const AddParams& params, std::int8_t* output) {
  const Sum sum(params);
  const std::int8_t *a = params.swapped ? second : first, *b = params.swapped ? first : second;
  for_each_row(a, b, rows_of(params), wide_row<Sum>, &sum, bounds_of(params), output);
}

Error check_add_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<AddParams>(constant, argument_bytes[2]);
  return valid_if(params != nullptr && is_broadcast(*params, argument_bytes, params->swapped != 0) &&
                  is_shift(params->right_shift_b) && is_shift(params->output_right_shift));
}

}  // namespace kindling
