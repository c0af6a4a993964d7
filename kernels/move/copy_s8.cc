#include "kernels/move/block_params.h"
#include "kernels/move/move.h"

namespace kindling {

void copy_s8(const std::int8_t* input, const CopyParams& params, std::int8_t* output) { copy_block(input, params, output); }

Error check_copy_s8(const std::uint32_t* argument_bytes, const void* params) { return check_block<CopyParams>(argument_bytes, params); }

}  // namespace kindling
