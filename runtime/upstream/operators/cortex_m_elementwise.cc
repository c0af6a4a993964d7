#include "runtime/upstream/operators/cortex_m_elementwise.h"

namespace kindling::upstream {
namespace {

void run_add(const Step& step) {
  const auto& p = static_cast<const QuantizedBinary&>(step);
  constexpr int32_t kOne = 1 << 20;  // operands get 20 more bits before they are scaled
  for_each(p.loops, [&](const uint32_t* at) {
    const int32_t x = p.x_factor.apply((p.x[at[1]] - p.x_zero_point) * kOne);
    const int32_t y = p.y_factor.apply((p.y[at[2]] - p.y_zero_point) * kOne);
    p.z[at[0]] = p.rail.apply(p.factor.apply(static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y))));
  });
}

void run_mul(const Step& step) {
  const auto& p = static_cast<const QuantizedBinary&>(step);
  for_each(p.loops, [&](const uint32_t* at) {
    p.z[at[0]] = p.rail.apply(p.factor.apply((p.x[at[1]] - p.x_zero_point) * (p.y[at[2]] - p.y_zero_point)));
  });
}

template <bool kLargest>
void run_extreme(const Step& step) {
  const auto& p = static_cast<const QuantizedExtreme&>(step);
  for_each(p.loops, [&](const uint32_t* at) {
    const int8_t x = p.x[at[1]], y = p.y[at[2]];
    p.z[at[0]] = (x < y) != kLargest ? x : y;
  });
}

void run_activation(const Step& step) {
  const auto& p = static_cast<const QuantizedActivation&>(step);
  for_each(p.loops, [&](const uint32_t* at) { p.y[at[0]] = p.table[p.x[at[1]] + 128]; });
}

/// To the nearest integer, half to even, of a number in [-2^21, 2^21]: adding 1.5 * 2^23 leaves the integer in the low bits.
int32_t rounded(float x) { return __builtin_bit_cast(int32_t, x + 12582912.0f) - 0x4b400000; }

void run_quantize(const Step& step) {
  const auto& p = static_cast<const Conversion&>(step);
  const auto* from = static_cast<const float*>(p.x);
  auto* to = static_cast<int8_t*>(p.y);
  constexpr float kFar = 1 << 20;  // beyond any rail and zero point
  for_each(p.loops, [&](const uint32_t* at) {
    float x = from[at[1]] * p.scale;
    if (!(x > -kFar)) x = x <= -kFar ? -kFar : 0;  // not a number becomes 0
    if (x > kFar) x = kFar;
    to[at[0]] = p.rail.apply(rounded(x));
  });
}

void run_dequantize(const Step& step) {
  const auto& p = static_cast<const Conversion&>(step);
  const auto* from = static_cast<const int8_t*>(p.x);
  auto* to = static_cast<float*>(p.y);
  for_each(p.loops, [&](const uint32_t* at) { to[at[0]] = static_cast<float>(from[at[1]] - p.rail.zero_point) * p.scale; });
}

Error prepare_extreme(Call& call, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.tensor(1, ScalarType::kChar), z = call.output(2, ScalarType::kChar);
  QuantizedExtreme step = {{}, x.as<const int8_t>(), y.as<const int8_t>(), z.as<int8_t>(), {}};
  call.require(loops_over(step.loops, z, x, y));
  return call.add(run, step);
}

/// `scale` is what the elements are multiplied by.
Error prepare_conversion(Call& call, ScalarType from, ScalarType to, float scale, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, from), y = call.output(6, to);
  Conversion step = {{}, x.data, y.data, scale, rail_of(call, 2, 3, 4), {}};
  call.require(call.integer(5) == static_cast<int32_t>(ScalarType::kChar), Error::NotSupported);
  call.require(x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run, step);
}

}  // namespace

Error prepare_quantized_add(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.tensor(4, ScalarType::kChar), z = call.output(13, ScalarType::kChar);
  QuantizedBinary step = {{},
                          x.as<const int8_t>(),
                          y.as<const int8_t>(),
                          z.as<int8_t>(),
                          offset_of(call, 1),
                          offset_of(call, 5),
                          factor_of(call, 2),
                          factor_of(call, 6),
                          factor_of(call, 9),
                          rail_of(call, 8, 11, 12),
                          {}};
  const auto fits = [](int32_t offset) { return offset >= -1024 && offset <= 1024; };  // with 20 more bits
  call.require(fits(step.x_zero_point) && fits(step.y_zero_point) && loops_over(step.loops, z, x, y));
  return call.add(run_add, step);
}

Error prepare_quantized_mul(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.tensor(2, ScalarType::kChar), z = call.output(7, ScalarType::kChar);
  QuantizedBinary step = {{},
                          x.as<const int8_t>(),
                          y.as<const int8_t>(),
                          z.as<int8_t>(),
                          offset_of(call, 1),
                          offset_of(call, 3),
                          {},
                          {},
                          factor_of(call, 5),
                          {offset_of(call, 4), -128, 127},
                          {}};
  call.require(loops_over(step.loops, z, x, y));
  return call.add(run_mul, step);
}

Error prepare_quantized_minimum(Call& call) { return prepare_extreme(call, run_extreme<false>); }
Error prepare_quantized_maximum(Call& call) { return prepare_extreme(call, run_extreme<true>); }

Error prepare_quantized_activation(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar), table = call.tensor(1, ScalarType::kChar);
  const Tensor y = call.output(2, ScalarType::kChar);
  QuantizedActivation step = {{}, x.as<const int8_t>(), table.as<const int8_t>(), y.as<int8_t>(), {}};
  call.require(table.count == 256 && x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run_activation, step);
}

Error prepare_quantize(Call& call) {
  const float inverse = static_cast<float>(1 / call.number(1));
  return prepare_conversion(call, ScalarType::kFloat, ScalarType::kChar, inverse, run_quantize);
}

Error prepare_dequantize(Call& call) {
  return prepare_conversion(call, ScalarType::kChar, ScalarType::kFloat, call.real(1), run_dequantize);
}

}  // namespace kindling::upstream
