#include "runtime/upstream/window.h"

namespace kindling::upstream {
namespace {

void copy_strides(const Image& image, uint32_t (&strides)[4]) {
  for (uint32_t i = 0; i < 4; ++i) strides[i] = image.strides[i];
}

}  // namespace

int64_t Axis::positions(bool ceil) const {
  const int64_t room = int64_t{input} + 2 * int64_t{padding} - int64_t{dilation} * (kernel - 1) - 1;
  if (room < 0) return 0;
  int64_t count = (room + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (count - 1) * stride >= int64_t{input} + padding) --count;
  return count;
}

bool Axis::is_sane() const {
  constexpr int32_t kLargest = 1 << 15;
  const int32_t positive[] = {input, output, kernel, stride, dilation};
  for (int32_t number : positive) {
    if (number <= 0 || number >= kLargest) return false;
  }
  return padding >= 0 && padding < kLargest;
}

Image Image::permuted(const uint32_t (&order)[4]) const {
  Image result;
  for (uint32_t i = 0; i < 4; ++i) {
    result.sizes[i] = sizes[order[i]];
    result.strides[i] = strides[order[i]];
  }
  return result;
}

Image image_of(Call& call, const Tensor& tensor, bool is_row) {
  Image image = {{1, 1, 1, 1}, {0, 0, 0, 0}};
  call.require(tensor.rank == 3 || tensor.rank == 4);
  const uint32_t missing = tensor.rank == 4 ? 4 : is_row ? 2 : 0;
  for (uint32_t i = 0, from = 0; i < 4 && call.error() == Error::Ok; ++i) {
    if (i == missing) continue;
    image.sizes[i] = tensor.sizes[from];
    image.strides[i] = tensor.strides[from++];
  }
  return image;
}

Windows Windows::of(Call& call, const Image& x, const Image& y, const WindowOptions& options, bool ceil) {
  Windows windows = {x.sizes[0], x.sizes[1], {}, {}, {}};
  copy_strides(x, windows.x_strides);
  copy_strides(y, windows.y_strides);
  call.require(y.sizes[0] == x.sizes[0] && y.sizes[1] == x.sizes[1]);
  for (uint32_t i = 0; i < 2 && call.error() == Error::Ok; ++i) {
    const int32_t taps = options.kernel.of_two(i, 0);
    const Axis axis = {static_cast<int32_t>(x.sizes[2 + i]), static_cast<int32_t>(y.sizes[2 + i]),
                       taps,                                 options.stride.of_two(i, taps),
                       options.padding.of_two(i, 0),         options.dilation.of_two(i, 1)};
    windows.axes[i] = axis;
    call.require(axis.is_sane() && 2 * axis.padding <= axis.kernel);
    call.require(call.error() == Error::Ok && axis.positions(ceil) == axis.output);
  }
  return windows;
}

ConvolutionShape ConvolutionShape::of(Call& call, const Image& x, const Image& y, const Image& kernel, const WindowOptions& options,
                                      int32_t groups, bool transposed, const Ints& more) {
  ConvolutionShape shape = {};
  call.require(groups > 0 && groups < 1 << 15);
  if (call.error() != Error::Ok) return shape;
  shape.batches = x.sizes[0];
  shape.groups = static_cast<uint32_t>(groups);
  shape.x_channels = x.sizes[1] / shape.groups;
  shape.y_channels = y.sizes[1] / shape.groups;
  copy_strides(x, shape.x_strides);
  copy_strides(y, shape.y_strides);
  copy_strides(kernel, shape.weight_strides);
  shape.group_stride = transposed ? shape.x_channels * kernel.strides[1] : shape.y_channels * kernel.strides[0];
  call.require(y.sizes[0] == shape.batches && shape.x_channels * shape.groups == x.sizes[1] &&
               shape.y_channels * shape.groups == y.sizes[1]);
  call.require(kernel.sizes[0] == (transposed ? shape.y_channels : y.sizes[1]));
  call.require(kernel.sizes[1] == (transposed ? x.sizes[1] : shape.x_channels));
  const Image &image = transposed ? y : x, &positions = transposed ? x : y;
  for (uint32_t i = 0; i < 2 && call.error() == Error::Ok; ++i) {
    Axis axis = {static_cast<int32_t>(image.sizes[2 + i]),  static_cast<int32_t>(positions.sizes[2 + i]),
                 static_cast<int32_t>(kernel.sizes[2 + i]), options.stride.of_two(i, 1),
                 options.padding.of_two(i, 0),              options.dilation.of_two(i, 1)};
    shape.axes[i] = axis;
    const int32_t extra = transposed ? more.of_two(i, 0) : 0;
    call.require(axis.is_sane() && extra >= 0 && (extra < axis.stride || extra < axis.dilation));
    if (call.error() != Error::Ok) break;
    axis.input -= extra;
    const int64_t room = int64_t{axis.output - 1} * axis.stride + int64_t{axis.kernel - 1} * axis.dilation + 1;
    call.require(transposed ? room - 2 * axis.padding == axis.input : axis.positions(false) == axis.output);
  }
  return shape;
}

}  // namespace kindling::upstream
