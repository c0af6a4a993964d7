#include "kernels/conv2d/conv2d.h"
#include "kernels/conv2d/geometry.h"
#include "kernels/conv2d/tile.h"

namespace kindling {
namespace {

/// An output pixel: its image and place in it.
struct Pixel {
  const std::int8_t* image;
  std::uint32_t row, column;
};

Pixel following(const Pixel& pixel, const Conv2dParams& params) {
  if (pixel.column + 1 < params.output_width) return {pixel.image, pixel.row, pixel.column + 1};
  if (pixel.row + 1 < params.output_height) return {pixel.image, pixel.row + 1, 0};
  return {pixel.image + params.input_height * params.input_width * params.input_channels, 0, 0};
}

/// Taps of a run that lie beyond one end of a row: `count`, but not less than none nor more than the run has.
std::int32_t outside(std::int32_t count, std::int32_t run) { return count < 0 ? 0 : count > run ? run : count; }

/// Copies what an output pixel depends on, `depth` channels from `first_channel` on for each tap of the window; taps outside the
/// image read the zero point.
void copy_window(const Conv2dParams& params, const Pixel& pixel, std::int32_t first_channel, std::int32_t depth, TilePixel tile) {
  const std::int32_t height = params.input_height, width = params.input_width, channels = params.input_channels;
  const std::int32_t kernel_width = params.kernel_width, dilation = params.dilation_width;
  const std::int32_t run = dilation == 1 && depth == channels ? kernel_width : 1;  // taps that are neighbours in memory
  const std::int32_t left = static_cast<std::int32_t>(pixel.column * params.stride_width) - params.pad_left;
  std::int32_t y = static_cast<std::int32_t>(pixel.row * params.stride_height) - params.pad_top;
  for (std::int32_t ky = 0; ky < params.kernel_height; ++ky, y += params.dilation_height) {
    const bool row_inside = y >= 0 && y < height;
    const std::int8_t* row = pixel.image + (row_inside ? y : 0) * width * channels + first_channel;
    std::int32_t x = left;
    for (std::int32_t kx = 0; kx < kernel_width; kx += run, x += dilation) {
      const std::int32_t before = row_inside ? outside(-x, run) : run;
      const std::int32_t after = row_inside ? outside(x + run - width, run) : 0;
      tile.fill(params.input_zero_point, before * depth);
      if (before + after < run) tile.copy(row + (x + before) * channels, (run - before - after) * depth);
      tile.fill(params.input_zero_point, after * depth);
    }
  }
}

}  // namespace

void conv2d_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = params.input_channels / params.groups, channels = params.output_channels / params.groups;
  const std::uint32_t taps = params.kernel_height * params.kernel_width * depth;
  const std::uint32_t group_bytes = tile_record_count(channels) * tile_record_bytes(taps).value();
  const Activation activation = activation_of(params);
  Pixel pixel = {input, 0, 0};
  std::uint32_t left = params.batches * params.output_height * params.output_width;
  while (left > 0) {
    Pixel pixels[kTilePixels];
    std::int8_t* outputs[kTilePixels];
    for (std::uint32_t i = 0; i < kTilePixels; ++i) {
      pixels[i] = pixel;
      outputs[i] = output;
      if (i + 1 < left) {
        pixel = following(pixel, params);
        output += params.output_channels;
      }
    }
    const std::uint8_t* records = params.channels();
    for (std::uint32_t group = 0; group < params.groups; ++group) {
      for (std::uint32_t i = 0; i < kTilePixels; ++i) {
        copy_window(params, pixels[i], group * depth, depth, TilePixel(scratch, taps, i));
      }
      multiply_tile(scratch, taps, records, channels, activation, outputs);
      for (std::int8_t*& output_of_pixel : outputs) output_of_pixel += channels;
      records += group_bytes;
    }
    left -= left < kTilePixels ? left : kTilePixels;
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
  return valid_if(tile_bytes(taps).is_at_most(scratch) &&
                  holds_array<Conv2dParams>(params_bytes, params->channels_offset, records));
}

}  // namespace kindling
