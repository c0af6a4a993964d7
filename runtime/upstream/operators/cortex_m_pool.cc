#include "runtime/upstream/operators/cortex_m_pool.h"

namespace kindling::upstream {
namespace {

/// Calls body(result so far, tap) for the taps of each window, from `first` on, and finish(result, number of taps) for what comes out.
template <class Body, class Finish>
void pool(const QuantizedPool& p, int32_t first, Body body, Finish finish) {
  const uint32_t row_stride = p.windows.x_strides[2], column_stride = p.windows.x_strides[3];
  p.windows.for_each([&](uint32_t channel, uint32_t at, const Axis::Taps& rows, const Axis::Taps& columns) {
    int32_t result = first;
    for (int32_t i = rows.first; i < rows.end; ++i) {
      const int8_t* row = p.x + channel + (rows.start + i) * row_stride;
      for (int32_t j = columns.first; j < columns.end; ++j) result = body(result, row[(columns.start + j) * column_stride]);
    }
    p.y[at] = p.rail.apply(finish(result, (rows.end - rows.first) * (columns.end - columns.first)));
  });
}

void run_avg_pool(const Step& step) {
  const auto rounded = [](int32_t sum, int32_t count) { return (sum > 0 ? sum + count / 2 : sum - count / 2) / count; };
  pool(static_cast<const QuantizedPool&>(step), 0, [](int32_t sum, int32_t tap) { return sum + tap; }, rounded);
}

void run_max_pool(const Step& step) {
  const auto larger = [](int32_t largest, int32_t tap) { return tap > largest ? tap : largest; };
  pool(static_cast<const QuantizedPool&>(step), -128, larger, [](int32_t largest, int32_t) { return largest; });
}

Error prepare_pool(Call& call, bool nhwc, bool ceil, uint32_t output, Rail rail, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.output(output, ScalarType::kChar);
  const WindowOptions options = {call.integers(1), call.integers(2), call.integers(3), {}};
  Image from = image_of(call, x), to = image_of(call, y);
  if (nhwc) {
    from = from.permuted({0, 3, 1, 2});
    to = to.permuted({0, 3, 1, 2});
  }
  call.require(x.rank == 4 && y.rank == 4);
  QuantizedPool step = {{}, x.as<const int8_t>(), y.as<int8_t>(), rail, Windows::of(call, from, to, options, ceil)};
  return call.add(run, step);
}

/// The zero point and the factor of the input, which are also the output's, make no difference.
Error prepare_avg_pool(Call& call, bool nhwc) {
  return prepare_pool(call, nhwc, call.flag(4), 9, {0, -128, 127}, run_avg_pool);
}

Error prepare_max_pool(Call& call, bool nhwc) {
  const Ints dilation = call.integers(4);
  Rail rail = rail_of(call, 6, 8, 9);
  call.require(dilation.of_two(0, 1) == 1 && dilation.of_two(1, 1) == 1 && !call.flag(5), Error::NotSupported);
  call.require(call.integer(7) == rail.zero_point, Error::NotSupported);
  rail.zero_point = 0;
  return prepare_pool(call, nhwc, false, 10, rail, run_max_pool);
}

}  // namespace

Error prepare_quantized_avg_pool2d(Call& call) { return prepare_avg_pool(call, false); }
Error prepare_quantized_avg_pool2d_nhwc(Call& call) { return prepare_avg_pool(call, true); }
Error prepare_quantized_max_pool2d(Call& call) { return prepare_max_pool(call, false); }
Error prepare_quantized_max_pool2d_nhwc(Call& call) { return prepare_max_pool(call, true); }

}  // namespace kindling::upstream
