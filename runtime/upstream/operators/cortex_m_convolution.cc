#include "runtime/upstream/operators/cortex_m_convolution.h"

namespace kindling::upstream {
namespace {

/// Where tap `tap` of the window that gives position `at` of the output lies in the input. Says whether it is inside.
template <bool kTransposed>
bool source(const Axis& axis, int32_t at, int32_t tap, int32_t& from) {
  if constexpr (!kTransposed) {
    from = at * axis.stride - axis.padding + tap * axis.dilation;
    return from >= 0 && from < axis.input;
  }
  const int32_t distance = at + axis.padding - tap * axis.dilation;
  from = distance / axis.stride;
  return distance >= 0 && from * axis.stride == distance && from < axis.output;
}

template <bool kTransposed>
uint32_t sum_at(const QuantizedConvolution& p, const int8_t* x, const int8_t* weights, int32_t row, int32_t column) {
  const ConvolutionShape& shape = p.shape;
  uint32_t sum = 0;
  for (int32_t i = 0; i < shape.axes[0].kernel; ++i) {
    int32_t from_row, from_column;
    if (!source<kTransposed>(shape.axes[0], row, i, from_row)) continue;
    for (int32_t j = 0; j < shape.axes[1].kernel; ++j) {
      if (!source<kTransposed>(shape.axes[1], column, j, from_column)) continue;
      const int8_t* pixel = x + from_row * shape.x_strides[2] + from_column * shape.x_strides[3];
      const int8_t* weight = weights + i * shape.weight_strides[2] + j * shape.weight_strides[3];
      for (uint32_t c = shape.x_channels; c > 0; --c, pixel += shape.x_strides[1], weight += shape.weight_strides[1]) {
        add_product(sum, *pixel + p.x_offset, *weight);
      }
    }
  }
  return sum;
}

template <bool kTransposed>
void run_convolution(const Step& step) {
  const auto& p = static_cast<const QuantizedConvolution&>(step);
  const ConvolutionShape& shape = p.shape;
  const int32_t rows = kTransposed ? shape.axes[0].input : shape.axes[0].output;
  const int32_t columns = kTransposed ? shape.axes[1].input : shape.axes[1].output;
  for (uint32_t n = 0; n < shape.batches; ++n) {
    for (int32_t row = 0; row < rows; ++row) {
      for (int32_t column = 0; column < columns; ++column) {
        int8_t* y = p.y + n * shape.y_strides[0] + row * shape.y_strides[2] + column * shape.y_strides[3];
        uint32_t channel = 0;
        for (uint32_t g = 0; g < shape.groups; ++g) {
          const int8_t* x = p.x + n * shape.x_strides[0] + g * shape.x_channels * shape.x_strides[1];
          const int8_t* weights = p.weights + g * shape.group_stride;
          for (uint32_t o = 0; o < shape.y_channels; ++o, ++channel, y += shape.y_strides[1]) {
            uint32_t sum = sum_at<kTransposed>(p, x, weights + o * shape.weight_strides[0], row, column);
            if (p.bias != nullptr) sum += static_cast<uint32_t>(p.bias[channel]);
            *y = p.rail.apply(Factor{p.multipliers[channel], p.shifts[channel]}.apply(static_cast<int32_t>(sum)));
          }
        }
      }
    }
  }
}

/// What is particular to an operator. `after` are the arguments between the dilation and the offset of the input.
struct Kind {
  bool depthwise, transposed, nhwc;
  uint32_t after;
};

const int32_t* channels_of(Call& call, uint32_t i, uint32_t channels) {
  const Tensor tensor = call.tensor(i, ScalarType::kInt);
  call.require(tensor.count == channels);
  call.require(tensor.is_constant, Error::NotSupported);  // or it could change when all is checked
  return tensor.as<const int32_t>();
}

Error prepare_convolution(Call& call, Kind kind) {
  const uint32_t options_end = kind.transposed ? 7 : 6, offsets = options_end + kind.after;
  const uint32_t output = offsets + (kind.transposed ? 8 : 7);
  const Tensor x = call.tensor(0, ScalarType::kChar), weights = call.tensor(1, ScalarType::kChar);
  const Tensor y = call.output(output, ScalarType::kChar);
  Image from = image_of(call, x), to = image_of(call, y), kernel = image_of(call, weights);
  call.require(x.rank == 4 && y.rank == 4 && weights.rank == 4);
  if (kind.nhwc) {
    from = from.permuted({0, 3, 1, 2});
    to = to.permuted({0, 3, 1, 2});
  }
  // In memory weights are [channel of y][row][column][channel of x], of depthwise convolutions [1][row][column][channel of y].
  kernel = kind.depthwise ? kernel.permuted({3, 0, 1, 2}) : kernel.permuted({0, 3, 1, 2});
  const WindowOptions options = {{}, call.integers(3), call.integers(4), call.integers(kind.transposed ? 6 : 5)};
  const Ints more = kind.transposed ? call.integers(5) : Ints{};
  if (call.error() != Error::Ok) return call.error();
  uint32_t groups = from.sizes[1];
  if (!kind.depthwise) groups = kind.transposed || kernel.sizes[1] == 0 ? 1 : from.sizes[1] / kernel.sizes[1];

  QuantizedConvolution step = {};
  step.x = x.as<const int8_t>();
  step.weights = weights.as<const int8_t>();
  if (!call.is_null(2)) step.bias = channels_of(call, 2, to.sizes[1]);
  step.multipliers = channels_of(call, offsets + 2, to.sizes[1]);
  step.shifts = channels_of(call, offsets + 3, to.sizes[1]);
  step.y = y.as<int8_t>();
  step.x_offset = offset_of(call, offsets);
  step.rail = rail_of(call, offsets + 1, offsets + 4, offsets + 5);
  step.shape = ConvolutionShape::of(call, from, to, kernel, options, static_cast<int32_t>(groups), kind.transposed, more);
  for (uint32_t i = 0; i < to.sizes[1] && call.error() == Error::Ok; ++i) {
    call.require(is_sane(Factor{step.multipliers[i], step.shifts[i]}));
  }
  return call.add(kind.transposed ? run_convolution<true> : run_convolution<false>, step);
}

}  // namespace

Error prepare_quantized_conv2d(Call& call) { return prepare_convolution(call, {false, false, false, 0}); }
Error prepare_quantized_conv2d_nhwc(Call& call) { return prepare_convolution(call, {false, false, true, 0}); }
Error prepare_quantized_depthwise_conv2d(Call& call) { return prepare_convolution(call, {true, false, false, 1}); }
Error prepare_quantized_depthwise_conv2d_nhwc(Call& call) { return prepare_convolution(call, {true, false, true, 1}); }
Error prepare_quantized_transpose_conv2d(Call& call) { return prepare_convolution(call, {false, true, false, 0}); }
Error prepare_quantized_transpose_conv2d_nhwc(Call& call) { return prepare_convolution(call, {false, true, true, 0}); }

}  // namespace kindling::upstream
