#include "kernels/conv2d/conv2d.h"
#include "kernels/conv2d/copy_window.h"
#include "kernels/conv2d/geometry.h"
#include "kernels/conv2d/tile.h"

namespace kindling {
namespace {

/// An output pixel: its image and place in it.
struct Pixel {
  const std::int8_t* image;
  std::uint32_t row, column;

  /// Goes on by pixels of this row.
  void advance(std::uint32_t pixels, const Conv2dParams& params) {
    column += pixels;
    if (column < params.output_width) return;
    column = 0;
    if (++row < params.output_height) return;
    row = 0;
    image += params.input_height * params.input_width * params.input_channels;
  }
};

/// Copies the windows of `pixels` pixels from `pixel` on; returns the pixel behind them.
Pixel copy_tile(const Conv2dParams& params, const Window& window, Pixel pixel, std::uint32_t pixels, std::int32_t first_channel,
                std::int32_t depth, void* tile) {
  for (std::uint32_t copied = 0; copied < pixels;) {
    const std::uint32_t in_row = params.output_width - pixel.column, rest = pixels - copied, count = rest < in_row ? rest : in_row;
    const std::int32_t top = static_cast<std::int32_t>(pixel.row * params.stride_height) - params.pad_top;
    const std::int32_t left = static_cast<std::int32_t>(pixel.column * params.stride_width) - params.pad_left;
    copy_windows(window, {pixel.image, top, left, params.stride_width, first_channel, depth}, tile, copied, count);
    pixel.advance(count, params);
    copied += count;
  }
  return pixel;
}

}  // namespace

void conv2d_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = params.input_channels / params.groups, channels = params.output_channels / params.groups;
  const std::uint32_t taps = params.kernel_height * params.kernel_width * depth;
  const std::uint32_t group_bytes = tile_record_count(channels) * (kTileChannels * padded_depth(taps) + kTileConstants);
  const Activation activation = activation_of(params);
  const Window window = {params.input_height,  params.input_width,     params.input_channels, params.kernel_height,
                         params.kernel_width,  params.dilation_height, params.dilation_width, params.input_zero_point};
  Pixel pixel = {input, 0, 0};
  for (std::uint32_t left = params.batches * params.output_height * params.output_width; left > 0;) {
    const std::uint32_t pixels = left < kTilePixels ? left : kTilePixels;
    const std::uint8_t* records = params.channels();
    Pixel following = pixel;
    for (std::uint32_t group = 0; group < params.groups; ++group) {
      following = copy_tile(params, window, pixel, pixels, group * depth, depth, scratch);
      multiply_tile(scratch, taps, params.segment, records, channels, activation.zero_point,
                    {output + group * channels, params.output_channels, pixels});
      records += group_bytes;
    }
    clamp_outputs(output, pixels * params.output_channels, activation);
    pixel = following;
    output += pixels * params.output_channels;
    left -= pixels;
  }
}

Error check_conv2d_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t input = argument_bytes[0], params_bytes = argument_bytes[1];
  const std::uint32_t scratch = argument_bytes[2], output = argument_bytes[3];
  const auto* params = params_of<Conv2dParams>(constant, params_bytes);
  if (params == nullptr || !is_convolution(*params, input, output)) return Error::InvalidArgument;
  const std::uint32_t depth = params->input_channels / params->groups, channels = params->output_channels / params->groups;
  const Size taps = Size(params->kernel_height) * params->kernel_width * depth;
  const Size records = Size(params->groups) * tile_record_count(channels) * tile_record_bytes(taps);
  return valid_if(params->segment > 0 && tile_bytes(taps).is_at_most(scratch) &&
                  holds_array<Conv2dParams>(params_bytes, params->channels_offset, records));
}

}  // namespace kindling
