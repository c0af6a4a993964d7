#include "kernels/check.h"
#include "kernels/move/move.h"
#include "kernels/move/run.h"

namespace kindling {
namespace {

/// Moves each of `inputs` to its end.
void concat(const std::int8_t** inputs, std::uint32_t count, const ConcatParams& params, std::int8_t* output) {
  const std::uint32_t* runs = params.runs();
  for (std::uint32_t left = params.outer; left > 0; --left) {
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t run = runs[k];
      copy_run(inputs[k], run, output);
      inputs[k] += run;
      output += run;
    }
  }
}

Error check_concat(std::uint32_t count, const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<ConcatParams>(constant, argument_bytes[count]);
  if (params == nullptr || params->outer < 1 || !holds_array<ConcatParams>(argument_bytes[count], params->runs_offset, 4 * count)) {
    return Error::InvalidArgument;
  }
  Size total = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t run = params->runs()[k];
    if (run < 1) return Error::InvalidArgument;
    const Size bytes = Size(params->outer) * run;
    if (!bytes.is(argument_bytes[k])) return Error::InvalidArgument;
    total = total + bytes;
  }
  return valid_if(total.is(argument_bytes[count + 1]));
}

}  // namespace

void concat_2_s8(const std::int8_t* a, const std::int8_t* b, const ConcatParams& params, std::int8_t* output) {
  const std::int8_t* inputs[] = {a, b};
  concat(inputs, 2, params, output);
}

void concat_3_s8(const std::int8_t* a, const std::int8_t* b, const std::int8_t* c, const ConcatParams& params, std::int8_t* output) {
  const std::int8_t* inputs[] = {a, b, c};
  concat(inputs, 3, params, output);
}

void concat_4_s8(const std::int8_t* a, const std::int8_t* b, const std::int8_t* c, const std::int8_t* d, const ConcatParams& params,
                 std::int8_t* output) {
  const std::int8_t* inputs[] = {a, b, c, d};
  concat(inputs, 4, params, output);
}

Error check_concat_2_s8(const std::uint32_t* argument_bytes, const void* params) { return check_concat(2, argument_bytes, params); }
Error check_concat_3_s8(const std::uint32_t* argument_bytes, const void* params) { return check_concat(3, argument_bytes, params); }
Error check_concat_4_s8(const std::uint32_t* argument_bytes, const void* params) { return check_concat(4, argument_bytes, params); }

}  // namespace kindling
