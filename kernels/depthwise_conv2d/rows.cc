#include "kernels/depthwise_conv2d/rows.h"

#include "kernels/copy.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

/// Columns of a ring's row: from the first tap of the first output pixel to the last tap of the last.
template <class Number>
Number ring_width(const DepthwiseConv2dParams& params) {
  return Number(params.output_width - 1) * params.stride_width + params.kernel_width;
}

/// Columns [first, first + count) of a row of the ring.
#if KINDLING_MVE
std::uint32_t stored_channels(std::uint32_t channels) { return (channels + 15) & ~15u; }

void copy_columns(std::int8_t* row, std::uint32_t width, std::uint32_t first, std::uint32_t count, std::uint32_t channels,
                  const std::int8_t* source) {
  std::int8_t* block = row + first * 16;
  for (std::int32_t left = static_cast<std::int32_t>(channels); left > 0; left -= 16, source += 16, block += width * 16) {
    const mve_pred16_t lanes = vctp8q(left);
    const std::int8_t* pixel = source;
    std::int8_t* target = block;
    for (std::uint32_t column = count; column > 0; --column, pixel += channels, target += 16) {
      vstrbq_s8(target, vldrbq_z_s8(pixel, lanes));
    }
  }
}

void fill_columns(std::int8_t* row, std::uint32_t width, std::uint32_t first, std::uint32_t count, std::uint32_t channels,
                  std::int8_t value) {
  for (std::uint32_t block = 0; block < channels; block += 16) fill_bytes(row + block * width + first * 16, value, count * 16);
}
#else
std::uint32_t stored_channels(std::uint32_t channels) { return channels; }

void copy_columns(std::int8_t* row, std::uint32_t, std::uint32_t first, std::uint32_t count, std::uint32_t channels,
                  const std::int8_t* source) {
  copy_bytes(row + first * channels, source, count * channels);
}

void fill_columns(std::int8_t* row, std::uint32_t, std::uint32_t first, std::uint32_t count, std::uint32_t channels,
                  std::int8_t value) {
  fill_bytes(row + first * channels, value, count * channels);
}
#endif

}  // namespace

void for_each_row(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output,
                  RowFunction compute_row) {
  const std::uint32_t channels = params.input_channels, output_row_bytes = params.output_width * channels;
  const std::uint32_t width = ring_width<std::uint32_t>(params), row_bytes = width * stored_channels(channels);
  const std::uint32_t pad_left = params.pad_left < width ? params.pad_left : width;
  const std::uint32_t columns = params.input_width < width - pad_left ? params.input_width : width - pad_left;
  std::int8_t* const ring = static_cast<std::int8_t*>(scratch);
  std::int8_t* const end = ring + row_bytes * params.kernel_height;
  fill_bytes(ring, params.input_zero_point, row_bytes * params.kernel_height);

  for (std::uint32_t image = 0; image < params.batches; ++image) {
    std::int32_t next_row = -static_cast<std::int32_t>(params.pad_top);  // of the input, to be copied
    std::int32_t end_row = next_row + params.kernel_height;              // of the current output row's
    std::int8_t* slot = ring;                                            // where the next row goes
    for (std::uint32_t left = params.output_height; left > 0; --left, end_row += params.stride_height) {
      for (; next_row < end_row; ++next_row) {
        if (next_row >= 0 && next_row < params.input_height) {
          copy_columns(slot, width, pad_left, columns, channels, input + next_row * params.input_width * channels);
        } else {
          fill_columns(slot, width, pad_left, columns, channels, params.input_zero_point);
        }
        slot += row_bytes;
        if (slot == end) slot = ring;
      }
      compute_row(params, Rows(slot, ring, row_bytes, params.kernel_height), output);
      clamp_outputs(output, output_row_bytes, activation_of(params));
      output += output_row_bytes;
    }
    input += params.input_height * params.input_width * channels;
  }
}

Error check_rows(const std::uint32_t* argument_bytes, const void* constant, std::uint32_t rows, std::uint32_t kernel_size,
                 std::uint32_t stride) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<DepthwiseConv2dParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const DepthwiseConv2dParams& p = *params;
  const auto fits = [](std::uint32_t actual, std::uint32_t demanded) { return demanded == kAny || actual == demanded; };
  const Size taps = Size(p.kernel_height) * p.kernel_width;
  const std::uint32_t records = (p.input_channels + kDepthwiseRecordChannels - 1) / kDepthwiseRecordChannels;
  const std::uint32_t alignment = stride == 2 ? 2 : 4;  // records_3x3_s2 stand closer than the others
  const Size record = ((taps + kDepthwiseConstants) * kDepthwiseRecordChannels).rounded_up(alignment);
  return valid_if(
      are_small_sizes(&p.batches, &p.stride_width) && fits(p.kernel_height, kernel_size) && fits(p.kernel_width, kernel_size) &&
      fits(p.stride_height, stride) && fits(p.stride_width, stride) && (Size(p.batches) * p.input_height * p.input_width * p.input_channels).is(input) &&
      (Size(p.batches) * p.output_height * p.output_width * p.input_channels).is(output) &&
      (ring_width<Size>(p) * (rows == kAny ? p.kernel_height : rows) * stored_channels(p.input_channels)).is_at_most(scratch) &&
      holds_array<DepthwiseConv2dParams>(params_bytes, p.channels_offset, Size(records) * record));
}

}  // namespace kindling
