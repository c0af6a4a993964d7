#include "kernels/check.h"
#include "kernels/conv2d/copy_window.h"
#include "kernels/conv2d/tile.h"
#include "kernels/requantise.h"
#include "kernels/transposed_conv2d/transposed_conv2d.h"

namespace kindling {
namespace {

/// Of output rows or columns that are `spread` apart: how many taps they have, and the input's row or column of the first tap of the
/// first of them. That of the next is one further.
struct Phase {
  std::int16_t taps, start;
};

const Phase* row_phases(const TransposedConv2dParams& params) { return reinterpret_cast<const Phase*>(params.row_phases()); }
const Phase* column_phases(const TransposedConv2dParams& params) { return reinterpret_cast<const Phase*>(params.column_phases()); }

/// Computes every spread_width-th pixel of an output row, `pixels` of them, of which the first lies at `output`. Their windows begin at
/// row `top` and columns `left`, left + 1, ... Returns the end of the records.
const std::uint8_t* compute_pixels(const TransposedConv2dParams& params, const Window& window, const std::int8_t* image, std::int32_t top,
                                   std::int32_t left, const std::uint8_t* records, void* scratch, std::int8_t* output,
                                   std::uint32_t pixels) {
  const std::uint32_t depth = params.input_channels / params.groups, channels = params.output_channels / params.groups;
  const std::uint32_t taps = window.kernel_height * window.kernel_width * depth;
  const std::uint32_t group_bytes = tile_record_count(channels) * (kTileChannels * padded_depth(taps) + kTileConstants);
  const std::uint32_t stride = params.spread_width * params.output_channels;
  for (std::uint32_t group = 0; group < params.groups; ++group, records += group_bytes, output += channels) {
    for (std::uint32_t done = 0; done < pixels; done += kTilePixels) {
      const std::uint32_t count = pixels - done < kTilePixels ? pixels - done : kTilePixels;
      const WindowPlaces places = {image, top, left + static_cast<std::int32_t>(done), 1, static_cast<std::int32_t>(group * depth),
                                   static_cast<std::int32_t>(depth)};
      copy_windows(window, places, scratch, 0, count);
      multiply_tile(scratch, taps, params.segment, records, channels, params.output_zero_point, {output + done * stride, stride, count});
    }
  }
  return records;
}

}  // namespace

void transposed_conv2d_s8(const std::int8_t* input, const TransposedConv2dParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t row_bytes = params.output_width * params.output_channels;
  Window window = {params.input_height,  params.input_width,  params.input_channels,  0, 0,
                   params.dilation_height, params.dilation_width, params.input_zero_point};
  for (std::uint32_t image = 0; image < params.batches; ++image) {
    const std::uint8_t* records = nullptr;
    std::uint32_t phase = 0;
    std::int32_t step = 0;
    for (std::uint32_t y = 0; y < params.output_height; ++y, ++phase, output += row_bytes) {
      if (y == 0 || phase == params.spread_height) {
        step += y == 0 ? 0 : 1;
        phase = 0;
        records = params.channels();
      }
      const Phase rows = row_phases(params)[phase];
      window.kernel_height = rows.taps;
      for (std::uint32_t x = 0; x < params.spread_width; ++x) {
        const Phase columns = column_phases(params)[x];
        window.kernel_width = columns.taps;
        const std::uint32_t pixels = (params.output_width + params.spread_width - 1 - x) / params.spread_width;
        records = compute_pixels(params, window, input, rows.start + step, columns.start, records, scratch,
                                 output + x * params.output_channels, pixels);
      }
      clamp_outputs(output, row_bytes, activation_of(params));
    }
    input += params.input_height * params.input_width * params.input_channels;
  }
}

Error check_transposed_conv2d_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t params_bytes = argument_bytes[1];
  using Params = TransposedConv2dParams;
  const auto* params = params_of<Params>(constant, params_bytes);
  if (params == nullptr ||
      !all_positive(params->batches, params->input_height, params->input_width, params->input_channels, params->output_height,
                    params->output_width, params->output_channels, params->groups, params->spread_height, params->spread_width,
                    params->dilation_height, params->dilation_width, params->segment) ||
      params->input_channels % params->groups != 0 || params->output_channels % params->groups != 0 ||
      !holds_array<Params>(params_bytes, params->row_phases_offset, Size(params->spread_height) * sizeof(Phase)) ||
      !holds_array<Params>(params_bytes, params->column_phases_offset, Size(params->spread_width) * sizeof(Phase))) {
    return Error::InvalidArgument;
  }
  const std::uint32_t depth = params->input_channels / params->groups, channels = params->output_channels / params->groups;
  const Size input = Size(params->batches) * params->input_height * params->input_width * params->input_channels;
  const Size output = Size(params->batches) * params->output_height * params->output_width * params->output_channels;
  Size records = 0;
  for (std::uint32_t y = 0; y < params->spread_height; ++y) {
    for (std::uint32_t x = 0; x < params->spread_width; ++x) {
      const std::int32_t rows = row_phases(*params)[y].taps, columns = column_phases(*params)[x].taps;
      const Size taps = Size(rows) * columns * depth;
      if (!all_positive(rows, columns) || !tile_bytes(taps).is_at_most(argument_bytes[2])) return Error::InvalidArgument;
      records = records + Size(params->groups) * tile_record_count(channels) * tile_record_bytes(taps);
    }
  }
  return valid_if(input.is(argument_bytes[0]) && output.is(argument_bytes[3]) &&
                  holds_array<Params>(params_bytes, params->channels_offset, records));
}

}  // namespace kindling
