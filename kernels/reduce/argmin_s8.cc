#include "kernels/reduce/arg_extreme.h"

namespace kindling {

void argmin_s8(const std::int8_t* input, const ReductionParams& params, std::int32_t* output) {
  reduce_to_index(input, params, output, [](std::int32_t value, std::int32_t best) { return value < best; });
}

Error check_argmin_s8(const std::uint32_t* argument_bytes, const void* params) { return check_index_reduction(argument_bytes, params); }

}  // namespace kindling
