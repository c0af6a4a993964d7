#include "kernels/check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/wide_row.h"

namespace kindling {
namespace {

class Quotient {
 public:
  explicit Quotient(const DivParams& params)
      : reciprocal_(params.reciprocal()),
        half_(1 << shift_amount(params.right_shift - 1)),
        zero_point_a_(params.zero_point_a),
        zero_point_(params.output_zero_point),
        right_shift_(params.right_shift) {}

#if KINDLING_MVE
  int32x4_t operator()(int32x4_t a, int32x4_t b) const {
    const uint32x4_t bits = vandq_u32(vreinterpretq_u32_s32(b), vdupq_n_u32(0xff));
    const int32x4_t product = vmulq_s32(vsubq_n_s32(a, zero_point_a_), vldrwq_gather_shifted_offset_s32(reciprocal_, bits));
    return vaddq_n_s32(vrshlq_n_s32(vaddq_s32(product, vshrq_n_s32(product, 31)), -right_shift_), zero_point_);
  }
#else
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t product = (a - zero_point_a_) * reciprocal_[b & 0xff];
    return ((product + half_ + (product >> 31)) >> shift_amount(right_shift_)) + zero_point_;
  }
#endif

 private:
  const std::int32_t* reciprocal_;
  [[maybe_unused]] std::int32_t half_;
  std::int32_t zero_point_a_, zero_point_, right_shift_;
};

}  // namespace

void div_s8(const std::int8_t* a, const std::int8_t* b, const DivParams& params, std::int8_t* output) {
  const Quotient quotient(params);
  for_each_row(a, b, rows_of(params), wide_row<Quotient>, &quotient, bounds_of(params), output);
}

Error check_div_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<DivParams>(constant, argument_bytes[2]);
  return valid_if(params != nullptr && is_broadcast(*params, argument_bytes) &&
                  holds_array<DivParams>(argument_bytes[2], params->reciprocal_offset, 256 * 4) && params->right_shift >= 1 &&
                  params->right_shift <= 30);
}

}  // namespace kindling
