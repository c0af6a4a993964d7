#include "kernels/check.h"
#include "kernels/table/table.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {

void table_s8(const std::int8_t* input, const TableParams& params, std::int8_t* output) {
  const std::int8_t* table = params.table();
  const auto* arguments = reinterpret_cast<const std::uint8_t*>(input);
#if KINDLING_MVE
  for (std::int32_t left = static_cast<std::int32_t>(params.count); left > 0; left -= 16, arguments += 16, output += 16) {
    const mve_pred16_t lanes = vctp8q(left);
    vstrbq_p_s8(output, vldrbq_gather_offset_z_s8(table, vldrbq_z_u8(arguments, lanes), lanes), lanes);
  }
#else
  std::uint32_t left = params.count;
  for (; left >= 4; left -= 4, arguments += 4, output += 4) {
    const std::int8_t first = table[arguments[0]], second = table[arguments[1]];
    const std::int8_t third = table[arguments[2]], fourth = table[arguments[3]];
    output[0] = first, output[1] = second, output[2] = third, output[3] = fourth;
  }
  for (; left > 0; --left) *output++ = table[*arguments++];
#endif
}

Error check_table_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<TableParams>(constant, argument_bytes[1]);
  return valid_if(params != nullptr && params->count == argument_bytes[0] && params->count == argument_bytes[2] &&
                  holds_array<TableParams>(argument_bytes[1], params->table_offset, 256));
}

}  // namespace kindling
