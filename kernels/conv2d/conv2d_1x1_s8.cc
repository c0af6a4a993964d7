#include "kernels/conv2d/conv2d.h"
#include "kernels/conv2d/tile.h"

namespace kindling {

void conv2d_1x1_s8(const std::int8_t* input, const PointwiseParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = params.input_channels, channels = params.output_channels;
  const Activation activation = activation_of(params);
  for (std::uint32_t left = params.rows; left > 0;) {
    const std::uint32_t pixels = left < kTilePixels ? left : kTilePixels;
    copy_pixels(scratch, input, depth, pixels);
    multiply_tile(scratch, depth, params.segment, params.channels(), channels, activation.zero_point, {output, channels, pixels});
    clamp_outputs(output, pixels * channels, activation);
    input += pixels * depth;
    output += pixels * channels;
    left -= pixels;
  }
}

Error check_conv2d_1x1_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<PointwiseParams>(constant, params_bytes);
  if (params == nullptr) return Error::InvalidArgument;
  const Size rows = params->rows, depth = params->input_channels, channels = params->output_channels;
  const Size records = Size(tile_record_count(params->output_channels)) * tile_record_bytes(depth);
  return valid_if(all_positive(params->rows, params->input_channels, params->output_channels, params->segment) &&
                  (rows * depth).is(input) && (rows * channels).is(output) && tile_bytes(depth).is_at_most(scratch) &&
                  holds_array<PointwiseParams>(params_bytes, params->channels_offset, records));
}

}  // namespace kindling
