#include "runtime/upstream/operators/pool.h"

namespace kindling::upstream {
namespace {

void run_max_pool(const Step& step) {
  const auto& p = static_cast<const Pool&>(step);
  const auto [row_axis, column_axis] = p.windows.axes;
  const uint32_t row_stride = p.windows.x_strides[2], column_stride = p.windows.x_strides[3];
  p.windows.for_each([&](uint32_t channel, uint32_t at, const Axis::Taps& rows, const Axis::Taps& columns) {
    const float* x = p.x + channel;
    float largest = 0;
    int32_t index = 0;
    bool is_first = true;
    for (int32_t i = rows.first; i < rows.end; ++i) {
      const int32_t row = rows.start + i * row_axis.dilation;
      for (int32_t j = columns.first; j < columns.end; ++j) {
        const int32_t column = columns.start + j * column_axis.dilation;
        const float tap = x[row * row_stride + column * column_stride];
        if (!is_first && !(tap > largest) && tap == tap) continue;
        largest = tap;
        index = row * column_axis.input + column;
        is_first = false;
      }
    }
    p.y[at] = largest;
    p.indices[at] = index;
  });
}

/// Of the taps of a window, how many there are with those in the padding.
int32_t padded_taps(const Axis& axis, const Axis::Taps& taps) {
  const int32_t room = axis.input + axis.padding - taps.start;
  return room < axis.kernel ? room : axis.kernel;
}

void run_avg_pool(const Step& step) {
  const auto& p = static_cast<const Pool&>(step);
  const Windows& windows = p.windows;
  windows.for_each([&](uint32_t channel, uint32_t at, const Axis::Taps& rows, const Axis::Taps& columns) {
    const float* x = p.x + channel;
    float sum = 0;
    for (int32_t i = rows.first; i < rows.end; ++i) {
      for (int32_t j = columns.first; j < columns.end; ++j) {
        sum += x[(rows.start + i) * windows.x_strides[2] + (columns.start + j) * windows.x_strides[3]];
      }
    }
    int32_t count = p.divisor;
    if (count == 0 && p.counts_padding) count = padded_taps(windows.axes[0], rows) * padded_taps(windows.axes[1], columns);
    if (count == 0) count = (rows.end - rows.first) * (columns.end - columns.first);
    p.y[at] = sum / static_cast<float>(count);
  });
}

}  // namespace

Error prepare_max_pool2d(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(6, ScalarType::kFloat);
  const Tensor indices = call.output(7, ScalarType::kLong);
  const WindowOptions options = {call.integers(1), call.integers(2), call.integers(3), call.integers(4)};
  Pool step = {{}, x.as<const float>(), y.as<float>(), indices.as<int64_t>(), {}, 0, false};
  step.windows = Windows::of(call, image_of(call, x), image_of(call, y), options, call.flag(5));
  bool same = indices.has_sizes_of(y);
  for (uint32_t i = 0; same && i < y.rank; ++i) same = indices.strides[i] == y.strides[i];
  call.require(same);
  return call.add(run_max_pool, step);
}

Error prepare_avg_pool2d(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(7, ScalarType::kFloat);
  const WindowOptions options = {call.integers(1), call.integers(2), call.integers(3), {}};
  Pool step = {{}, x.as<const float>(), y.as<float>(), nullptr, {}, 0, call.flag(5)};
  step.windows = Windows::of(call, image_of(call, x), image_of(call, y), options, call.flag(4));
  if (!call.is_null(6)) {
    step.divisor = call.integer(6);
    call.require(step.divisor != 0);
  }
  return call.add(run_avg_pool, step);
}

}  // namespace kindling::upstream
