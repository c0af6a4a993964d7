#include "kernels/reduce/extreme.h"

namespace kindling {
namespace {

struct Largest {
  static constexpr std::int32_t kWorst = -128;
  static std::int32_t of(std::int32_t a, std::int32_t b) { return b > a ? b : a; }
#if KINDLING_MVE
  static int8x16_t of(int8x16_t a, int8x16_t b) { return vmaxq_s8(a, b); }
  static std::int32_t of(std::int32_t best, int8x16_t run, mve_pred16_t lanes) {
    return vmaxvq_p_s8(static_cast<std::int8_t>(best), run, lanes);
  }
#endif
};

}  // namespace

void amax_s8(const std::int8_t* input, const ReductionParams& params, std::int8_t* output) {
  reduce_to_extreme<Largest>(input, params, output);
}

Error check_amax_s8(const std::uint32_t* argument_bytes, const void* params) {
  return valid_if(reduction_of<ReductionParams>(argument_bytes, params, 1) != nullptr);
}

}  // namespace kindling
