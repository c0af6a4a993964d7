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

/// Whether a side of a block, whose steps are `step` of each axis, stays inside a buffer. One function for both sides: it is long.
[[gnu::noinline]] bool side_fits(const CopyAxis* axes, std::uint32_t rank, std::int32_t CopyAxis::* step, std::uint32_t offset,
                                 std::uint32_t bytes) {
  constexpr std::uint32_t kLargest = 0x7fffffff;
  if (offset >= bytes || bytes > kLargest) return false;
  for (std::uint32_t first = offset, last = offset; rank > 0; --rank, ++axes) {
    std::int32_t reach = 0;
    if (axes->size < 1 || __builtin_mul_overflow(axes->size - 1, axes->*step, &reach)) return false;
    // Both are below 2^31: whatever is added to one of them, it is below `bytes` only if it should be.
    (reach < 0 ? first : last) += static_cast<std::uint32_t>(reach);
    if (first >= bytes || last >= bytes) return false;
  }
  return true;
}

/// Whether a block has at most `most` bytes, so that copying it comes to an end.
bool has_at_most(std::uint32_t most, const CopyAxis* axes, std::uint32_t rank) {
  std::uint32_t bytes = 1;
  for (; rank > 0; --rank, ++axes) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint32_t>(axes->size), &bytes) || bytes > most) return false;
  }
  return true;
}

}  // namespace

void copy_block(const std::int8_t* input, const CopyAxis* axes, std::uint32_t rank, std::int8_t* output) {
  struct {
    std::int32_t left;
    const std::int8_t* input;
    std::int8_t* output;
  } places[kMostAxes], *place = places;  // along each axis outside the plane
  const CopyAxis *axis = axes, *const plane = axes + rank - 2;
  for (;;) {
    for (; axis < plane; ++axis, ++place) place->left = axis->size, place->input = input, place->output = output;
    copy_plane(input, plane[0], plane[1], output);
    // On by one along the innermost axis that is not at its end; those inside it start again.
    do {
      if (axis == axes) return;
      --axis, --place;
    } while (--place->left == 0);
    input = place->input += axis->input_step, output = place->output += axis->output_step;
    ++axis, ++place;
  }
}

bool block_fits(std::uint32_t axes_bytes, const CopyAxis* axes, std::uint32_t rank, std::uint32_t input_offset, std::uint32_t input_bytes,
                std::uint32_t output_offset, std::uint32_t output_bytes) {
  return rank >= 2 && rank <= kMostAxes && rank * sizeof(CopyAxis) <= axes_bytes &&
         side_fits(axes, rank, &CopyAxis::input_step, input_offset, input_bytes) &&
         side_fits(axes, rank, &CopyAxis::output_step, output_offset, output_bytes) && has_at_most(output_bytes, axes, rank);
}

}  // namespace kindling
