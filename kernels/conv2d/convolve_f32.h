// What convolutions of floats share, transposed ones included: how they walk through outputs and taps.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/conv2d/geometry.h"
#include "kernels/conv2d/params.h"
#include "kernels/float_math.h"
#include "kernels/strides.h"

namespace kindling {

/// The taps that an output row (or column) meets in the image: `count` of them, from tap `first` of the kernel on, which lies at row
/// (or column) `position`.
struct MetTaps {
  std::int32_t first, count, position;
};

/// The taps that an output meets, for one output channel; strides are those of neighbouring taps it meets.
struct Taps {
  std::int32_t rows, columns, depth;
  ImageStrides input, weights;

  /// `sum` plus the products of all taps, in order of row, column, channel.
  float add_products(float sum, const float* image, const float* kernel) const {
    for (std::int32_t y = rows; y > 0; --y, image += input.row, kernel += weights.row) {
      const float *image_row = image, *kernel_row = kernel;
      for (std::int32_t x = columns; x > 0; --x, image_row += input.column, kernel_row += weights.column) {
        const float *element = image_row, *weight = kernel_row;
        for (std::int32_t i = depth; i > 0; --i, element += input.channel, weight += weights.channel) sum += *element * *weight;
      }
    }
    return sum;
  }
};

/// Where a convolution finds its numbers and leaves its results. `bias` may be nullptr, for zeros.
struct Operands {
  const float* input;
  ImageStrides input_strides;
  const float* weights;
  ImageStrides weight_strides;
  const float* bias;
  float* output;
  ImageStrides output_strides;
};

/// `Axis` says for an output row or column which taps it meets, how far these are apart in the kernel (tap_step) and in the input
/// (input_step).
template <class Axis>
inline void convolve(const Conv2dF32Params& shape, const Axis& row_axis, const Axis& column_axis, Operands at) {
  const std::int32_t groups = shape.groups, per_group = shape.output_channels / groups;
  Taps taps;
  taps.depth = shape.input_channels / groups;
  taps.input = at.input_strides, taps.weights = at.weight_strides;
  taps.input.row *= row_axis.input_step, taps.input.column *= column_axis.input_step;
  taps.weights.row *= row_axis.tap_step, taps.weights.column *= column_axis.tap_step;
  for (std::int32_t image = 0; image < shape.batches; ++image) {
    for (std::int32_t row = 0; row < shape.output_height; ++row) {
      const MetTaps rows = row_axis.met(row);
      taps.rows = rows.count;
      for (std::int32_t column = 0; column < shape.output_width; ++column) {
        const MetTaps columns = column_axis.met(column);
        taps.columns = columns.count;
        const float* window = at.input + rows.position * at.input_strides.row + columns.position * at.input_strides.column;
        const float* kernel = at.weights + rows.first * at.weight_strides.row + columns.first * at.weight_strides.column;
        const float* bias = at.bias;
        float* result = at.output + row * at.output_strides.row + column * at.output_strides.column;
        for (std::int32_t group = groups; group > 0; --group, window += taps.depth * at.input_strides.channel) {
          for (std::int32_t channel = per_group; channel > 0; --channel, kernel += at.weight_strides.batch) {
            const float sum = taps.add_products(bias == nullptr ? 0.0f : *bias++, window, kernel);
            *result = clamped(sum, shape.activation_min, shape.activation_max);
            result += at.output_strides.channel;
          }
        }
      }
    }
    at.input += at.input_strides.batch, at.output += at.output_strides.batch;
  }
}

/// The operands of a kernel whose tensors and weights have no gaps, channels last.
inline Operands channels_last_operands(const float* input, const Conv2dF32Params& params, float* output) {
  return {input,
          channels_last(params.input_height, params.input_width, params.input_channels),
          params.weights(),
          channels_last(params.kernel_height, params.kernel_width, params.input_channels / params.groups),
          params.bias(),
          output,
          channels_last(params.output_height, params.output_width, params.output_channels)};
}

/// The params of a call under judgement; nullptr if they are not possible or do not fit its tensors.
inline const Conv2dF32Params* float_convolution_of(const std::uint32_t* argument_bytes, const void* constant) {
  const std::uint32_t params_bytes = argument_bytes[1];
  const auto* params = params_of<Conv2dF32Params>(constant, params_bytes);
  if (params == nullptr || !is_convolution(*params, floats_in(argument_bytes[0]), floats_in(argument_bytes[2]))) return nullptr;
  const Size channels = params->output_channels, depth = params->input_channels / params->groups;
  const Size weights = channels * params->kernel_height * params->kernel_width * depth;
  const bool fits = holds_array<Conv2dF32Params>(params_bytes, params->weights_offset, weights * sizeof(float)) &&
                    holds_array<Conv2dF32Params>(params_bytes, params->bias_offset, channels * sizeof(float));
  return fits ? params : nullptr;
}

}  // namespace kindling
