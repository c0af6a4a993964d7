#include "kernels/move/block_params.h"
#include "kernels/move/move.h"
#include "kernels/move/run.h"

namespace kindling {

void pad_s8(const std::int8_t* input, const PadParams& params, std::int8_t* output) {
  fill_run(output, params.pattern, params.output_bytes);
  copy_block(input, params, output);
}

Error check_pad_s8(const std::uint32_t* argument_bytes, const void* params) { return check_block<PadParams>(argument_bytes, params); }

}  // namespace kindling
