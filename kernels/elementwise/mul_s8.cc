#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/wide_row.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

class Product {
 public:
#if KINDLING_MVE
  explicit Product(const MulParams& params)
      : step_a_(vdupq_n_s32(params.step_a)),
        zero_point_b_(vdupq_n_s32(params.zero_point_b)),
        offset_a_(params.offset_a),
        multiplier_(params.multiplier),
        shift_(-params.right_shift),
        zero_point_(params.output_zero_point) {}

  int32x4_t operator()(int32x4_t a, int32x4_t b) const {
    const int32x4_t product = vmulq_s32(vmlasq_n_s32(a, step_a_, offset_a_), vsubq_s32(b, zero_point_b_));
    return vaddq_n_s32(requantise(product, multiplier_, shift_), zero_point_);
  }

 private:
  int32x4_t step_a_, zero_point_b_;
  std::int32_t offset_a_, multiplier_, shift_, zero_point_;
#else
  explicit Product(const MulParams& params)
      : twice_step_a_(2 * params.step_a),
        twice_offset_a_(2 * params.offset_a),
        zero_point_b_(params.zero_point_b),
        zero_point_(params.output_zero_point),
        factor_(params.multiplier, params.right_shift, 0) {}

  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return factor_.apply_to_double((a * twice_step_a_ + twice_offset_a_) * (b - zero_point_b_)) + zero_point_;
  }

 private:
  std::int32_t twice_step_a_, twice_offset_a_, zero_point_b_, zero_point_;
  NarrowFactor factor_;
#endif
};

}  // namespace

void mul_s8(const std::int8_t* a, const std::int8_t* b, const MulParams& params, std::int8_t* output) {
  const Product product(params);
  for_each_row(a, b, rows_of(params), wide_row<Product>, &product, bounds_of(params), output);
}

Error check_mul_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<MulParams>(constant, argument_bytes[2]);
  return valid_if(params != nullptr && is_broadcast(*params, argument_bytes) && params->right_shift >= 1 &&
                  params->right_shift <= 31);
}

}  // namespace kindling
