#include "kernels/depthwise_conv2d/four_rows.h"

#include "kernels/copy.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Writes a row of inputs to one byte of as many words.
void copy_row(std::int8_t* words, const std::int8_t* source, std::uint32_t count) {
  for (; count >= 4; count -= 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i, words += 4) *words = *source++;
  }
  for (; count > 0; --count, words += 4) *words = *source++;
}

void fill_row(std::int8_t* words, std::int8_t value, std::uint32_t count) {
  for (; count > 0; --count, words += 4) *words = value;
}

}  // namespace

void for_each_two_rows(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output,
                       FourRowsFunction compute) {
  const std::uint32_t channels = params.input_channels, output_row_bytes = params.output_width * channels;
  const std::uint32_t width = (params.output_width - 1) * params.stride_width + 3, words = width * channels;
  const std::uint32_t pad_left = params.pad_left < width ? params.pad_left : width;
  const std::uint32_t columns = params.input_width < width - pad_left ? params.input_width : width - pad_left;
  const std::uint32_t rows_per_step = params.stride_height == 1 ? 2 : 1;
  auto* const ring = static_cast<std::int8_t*>(scratch);
  fill_bytes(ring, params.input_zero_point, 4 * words);

  for (std::uint32_t image = 0; image < params.batches; ++image) {
    std::int32_t next_row = -static_cast<std::int32_t>(params.pad_top);  // of the input, to be copied
    std::int32_t end_row = next_row + 4;                                 // of the step's
    std::uint32_t slot = 0;                                              // the byte of each word where the next row goes
    for (std::uint32_t left = params.output_height; left > 0; end_row += 2) {
      for (; next_row < end_row; ++next_row) {
        std::int8_t* const target = ring + 4 * pad_left * channels + slot;
        if (next_row >= 0 && next_row < params.input_height) {
          copy_row(target, input + next_row * params.input_width * channels, columns * channels);
        } else {
          fill_row(target, params.input_zero_point, columns * channels);
        }
        slot = (slot + 1) % 4;
      }
      const std::uint32_t output_rows = left < rows_per_step ? left : rows_per_step;
      compute(params, {reinterpret_cast<const std::uint32_t*>(ring), slot * 8}, output, output_rows);
      clamp_outputs(output, output_rows * output_row_bytes, activation_of(params));
      output += output_rows * output_row_bytes;
      left -= output_rows;
    }
    input += params.input_height * params.input_width * channels;
  }
}

}  // namespace kindling
