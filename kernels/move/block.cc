#include "kernels/move/block.h"

#include "kernels/move/run.h"
#include "kernels/target.h"

#if KINDLING_MVE
#include <arm_mve.h>
#endif

namespace kindling {
namespace {

void copy_stepwise(const std::int8_t* input, const CopyAxis& axis, std::int8_t* output) {
  const std::int32_t input_step = axis.input_step, output_step = axis.output_step;
  std::int32_t left = axis.size;
#if KINDLING_MVE
  constexpr std::uint32_t kLanes = 8, kLongestStep = 0xffff / (kLanes - 1);
  if (static_cast<std::uint32_t>(input_step) <= kLongestStep && static_cast<std::uint32_t>(output_step) <= kLongestStep) {
    const uint16x8_t lane = vidupq_n_u16(0, 1);
    const uint16x8_t from = vmulq_n_u16(lane, static_cast<std::uint16_t>(input_step));
    const uint16x8_t to = vmulq_n_u16(lane, static_cast<std::uint16_t>(output_step));
    for (; left > 0; left -= 8, input += 8 * input_step, output += 8 * output_step) {
      const mve_pred16_t lanes = vctp16q(left);
      vstrbq_scatter_offset_p_s16(output, to, vldrbq_gather_offset_z_s16(input, from, lanes), lanes);
    }
    return;
  }
#endif
#pragma GCC unroll 4
  for (; left > 0; --left, input += input_step, output += output_step) *output = *input;
}

void copy_plane(const std::int8_t* input, const CopyAxis& rows, const CopyAxis& row, std::int8_t* output) {
  const bool runs = row.input_step == 1 && row.output_step == 1;
  for (std::int32_t left = rows.size; left > 0; --left, input += rows.input_step, output += rows.output_step) {
    if (runs) {
      copy_run(input, row.size, output);
    } else {
      copy_stepwise(input, row, output);
    }
  }
}

/// First and last byte that a side of the block touches, from where it starts; false where they overflow.
bool add_reach(std::int32_t size, std::int32_t step, std::int32_t& first, std::int32_t& last) {
  std::int32_t reach = 0;
  if (size < 1 || __builtin_mul_overflow(size - 1, step, &reach)) return false;
  std::int32_t& end = reach < 0 ? first : last;
  return !__builtin_add_overflow(end, reach, &end);
}

}  // namespace

void copy_block(const std::int8_t* input, const CopyAxis* axes, std::uint32_t rank, std::int8_t* output) {
  if (rank == 2) return copy_plane(input, axes[0], axes[1], output);
  for (std::int32_t left = axes->size; left > 0; --left, input += axes->input_step, output += axes->output_step) {
    copy_block(input, axes + 1, rank - 1, output);
  }
}

bool block_fits(std::uint32_t axes_bytes, const CopyAxis* axes, std::uint32_t rank, std::uint32_t input_offset, std::uint32_t input_bytes,
                std::uint32_t output_offset, std::uint32_t output_bytes) {
  constexpr std::uint32_t kLargest = 0x7fffffff;
  if (rank < 2 || rank > axes_bytes / sizeof(CopyAxis) || input_offset > kLargest || output_offset > kLargest ||
      input_bytes > kLargest || output_bytes > kLargest) {
    return false;
  }
  std::int32_t input_first = static_cast<std::int32_t>(input_offset), input_last = input_first;
  std::int32_t output_first = static_cast<std::int32_t>(output_offset), output_last = output_first;
  for (std::uint32_t i = 0; i < rank; ++i) {
    if (!add_reach(axes[i].size, axes[i].input_step, input_first, input_last) ||
        !add_reach(axes[i].size, axes[i].output_step, output_first, output_last)) {
      return false;
    }
  }
  return input_first >= 0 && input_last < static_cast<std::int32_t>(input_bytes) && output_first >= 0 &&
         output_last < static_cast<std::int32_t>(output_bytes);
}

}  // namespace kindling
