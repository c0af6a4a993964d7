#include "kernels/depthwise_conv2d/rows.h"

#include "kernels/copy.h"

namespace kindling {
namespace {

/// Columns of a ring's row: from the first tap of the first output pixel to the last tap of the last.
template <class Number>
Number ring_width(const DepthwiseConv2dParams& params) {
  return Number(params.output_width - 1) * params.stride_width + params.kernel_width;
}

}  // namespace

void for_each_row(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output,
                  RowFunction compute_row) {
  const std::uint32_t channels = params.input_channels, width = ring_width<std::uint32_t>(params);
  const std::uint32_t row_bytes = width * channels, ring_bytes = row_bytes * params.kernel_height;
  const std::uint32_t pad_left = params.pad_left < width ? params.pad_left : width;
  const std::uint32_t columns = params.input_width < width - pad_left ? params.input_width : width - pad_left;
  std::int8_t* const ring = static_cast<std::int8_t*>(scratch);
  fill_bytes(ring, params.input_zero_point, ring_bytes);

  for (std::uint32_t image = 0; image < params.batches; ++image) {
    std::int32_t next_row = -static_cast<std::int32_t>(params.pad_top);  // of the input, to be copied
    std::int8_t* slot = ring;                                            // where it goes
    std::int32_t top = next_row;                                         // of the current output row
    for (std::uint32_t row = 0; row < params.output_height; ++row, top += params.stride_height) {
      for (; next_row < top + params.kernel_height; ++next_row) {
        std::int8_t* const inside = slot + pad_left * channels;
        const bool exists = next_row >= 0 && next_row < params.input_height;
        if (exists) {
          copy_bytes(inside, input + next_row * params.input_width * channels, columns * channels);
        } else {
          fill_bytes(inside, params.input_zero_point, columns * channels);
        }
        slot += row_bytes;
        if (slot == ring + ring_bytes) slot = ring;
      }
      compute_row(params, Rows(slot, ring, row_bytes, params.kernel_height), output);
      output += params.output_width * channels;
    }
    input += params.input_height * params.input_width * channels;
  }
}

Error check_rows(const std::uint32_t* argument_bytes, const void* constant, std::uint32_t kernel_size, std::uint32_t stride) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<DepthwiseConv2dParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const DepthwiseConv2dParams& p = *params;
  if (!all_positive(p.batches, p.input_height, p.input_width, p.input_channels, p.output_height, p.output_width, p.kernel_height,
                    p.kernel_width, p.stride_height, p.stride_width)) {
    return Error::InvalidArgument;
  }
  const auto fits = [](std::uint32_t actual, std::uint32_t demanded) { return demanded == kAny || actual == demanded; };
  const Size taps = Size(p.kernel_height) * p.kernel_width;
  const std::uint32_t records = (p.input_channels + kDepthwiseRecordChannels - 1) / kDepthwiseRecordChannels;
  return valid_if(fits(p.kernel_height, kernel_size) && fits(p.kernel_width, kernel_size) && fits(p.stride_height, stride) &&
                  fits(p.stride_width, stride) && (Size(p.batches) * p.input_height * p.input_width * p.input_channels).is(input) &&
                  (Size(p.batches) * p.output_height * p.output_width * p.input_channels).is(output) &&
                  (ring_width<Size>(p) * p.kernel_height * p.input_channels).is_at_most(scratch) &&
                  holds_array<DepthwiseConv2dParams>(params_bytes, p.channels_offset, Size(records) * depthwise_record_bytes(taps)));
}

}  // namespace kindling
