#include "kernels/check.h"
#include "kernels/move/move.h"
#include "kernels/move/run.h"

namespace kindling {
namespace {

std::uint32_t largest(const std::uint32_t* offsets, std::uint32_t count) {
  std::uint32_t result = 0;
  for (; count > 0; --count, ++offsets) result = *offsets > result ? *offsets : result;
  return result;
}

}  // namespace

void take_s8(const std::int8_t* input, const TakeParams& params, std::int8_t* output) {
  const std::uint32_t run = params.run_bytes;
  for (std::uint32_t row = 0; row < params.rows; ++row) {
    const std::int8_t* source = input + params.row_offsets()[row];
    const std::uint32_t* column = params.column_offsets();
    for (std::uint32_t left = params.columns; left > 0; --left, output += run) copy_run(source + *column++, run, output);
  }
}

Error check_take_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<TakeParams>(constant, argument_bytes[1]);
  if (params == nullptr || !all_positive(params->rows, params->columns, params->run_bytes) ||
      !holds_array<TakeParams>(argument_bytes[1], params->row_offsets_offset, Size(params->rows) * 4) ||
      !holds_array<TakeParams>(argument_bytes[1], params->column_offsets_offset, Size(params->columns) * 4)) {
    return Error::InvalidArgument;
  }
  const Size end = Size(largest(params->row_offsets(), params->rows)) + largest(params->column_offsets(), params->columns) + params->run_bytes;
  return valid_if(params->input_bytes == argument_bytes[0] && end.is_at_most(params->input_bytes) &&
                  (Size(params->rows) * params->columns * params->run_bytes).is(argument_bytes[2]));
}

}  // namespace kindling
