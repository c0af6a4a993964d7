#include "kernels/float_math.h"
#include "runtime/upstream/operators/elementwise.h"

namespace kindling::upstream {
namespace {

template <class Function>
void run_unary(const Step& step) {
  const auto& unary = static_cast<const Unary&>(step);
  for_each(unary.loops, [&](const uint32_t* at) { unary.y[at[0]] = Function()(unary.x[at[1]], unary); });
}

/// The tensors are the first argument and argument `output`.
template <class Function>
Error prepare_unary(Call& call, uint32_t output, float a = 0, float b = 0) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(output, ScalarType::kFloat);
  Unary unary = {{}, x.as<const float>(), y.as<float>(), a, b, {}};
  call.require(x.has_sizes_of(y) && loops_over(unary.loops, y, x));
  return call.add(run_unary<Function>, unary);
}

// What is not a number stays so.
struct Relu {
  float operator()(float x, const Unary&) const { return x < 0 ? 0 : x; }
};
struct Clamp {
  float operator()(float x, const Unary& between) const { return clamped(x, between.a, between.b); }
};
struct Neg {
  float operator()(float x, const Unary&) const { return -x; }
};
struct Abs {
  float operator()(float x, const Unary&) const { return magnitude(x); }
};
struct LeakyRelu {
  float operator()(float x, const Unary& slope) const { return x >= 0 ? x : x * slope.a; }
};
struct Reciprocal {
  float operator()(float x, const Unary&) const { return 1 / x; }
};

template <class Function>
void run_binary(const Step& step) {
  const auto& binary = static_cast<const Binary&>(step);
  for_each(binary.loops, [&](const uint32_t* at) {
    float y = binary.y == nullptr ? binary.other : binary.y[at[2]];
    binary.z[at[0]] = Function()(binary.x[at[1]], y, binary.factor);
  });
}

/// Two tensors, then `output`.
template <class Function>
Error prepare_binary(Call& call, uint32_t output, float factor = 1) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.tensor(1, ScalarType::kFloat);
  const Tensor z = call.output(output, ScalarType::kFloat);
  Binary binary = {{}, x.as<const float>(), y.as<const float>(), z.as<float>(), factor, 0, {}};
  call.require(loops_over(binary.loops, z, x, y));
  return call.add(run_binary<Function>, binary);
}

/// A tensor and a number, then `output`.
template <class Function>
Error prepare_with_scalar(Call& call, uint32_t output, float factor = 1) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), z = call.output(output, ScalarType::kFloat);
  Binary binary = {{}, x.as<const float>(), nullptr, z.as<float>(), factor, call.real(1), {}};
  call.require(x.has_sizes_of(z) && loops_over(binary.loops, z, x, x));
  return call.add(run_binary<Function>, binary);
}

struct Add {
  float operator()(float x, float y, float alpha) const { return x + alpha * y; }
};
struct Sub {
  float operator()(float x, float y, float alpha) const { return x - alpha * y; }
};
struct Mul {
  float operator()(float x, float y, float) const { return x * y; }
};
struct Div {
  float operator()(float x, float y, float) const { return x / y; }
};
struct Minimum {
  float operator()(float x, float y, float) const { return lesser(x, y); }
};
struct Maximum {
  float operator()(float x, float y, float) const { return greater(x, y); }
};

template <class Holds>
void run_comparison(const Step& step) {
  const auto& p = static_cast<const Comparison&>(step);
  const auto* x = static_cast<const float*>(p.x);
  for_each(p.loops, [&](const uint32_t* at) { p.y[at[0]] = Holds()(x[at[1]], p.other); });
}

void run_logical_not(const Step& step) {
  const auto& p = static_cast<const Comparison&>(step);
  const auto* x = static_cast<const uint8_t*>(p.x);
  for_each(p.loops, [&](const uint32_t* at) { p.y[at[0]] = x[at[1]] == 0; });
}

template <class Holds>
Error prepare_comparison(Call& call, Holds) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(2, ScalarType::kBool);
  Comparison step = {{}, x.data, y.data, call.real(1), {}};
  call.require(x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run_comparison<Holds>, step);
}

void run_where(const Step& step) {
  const auto& p = static_cast<const Where&>(step);
  for_each(p.loops, [&](const uint32_t* at) { p.z[at[0]] = p.truth[at[1]] != 0 ? p.x[at[2]] : p.y[at[3]]; });
}

}  // namespace

Error prepare_relu(Call& call) { return prepare_unary<Relu>(call, 1); }
Error prepare_hardtanh(Call& call) { return prepare_unary<Clamp>(call, 3, call.real(1), call.real(2)); }
Error prepare_clamp(Call& call) {
  const float low = call.is_null(1) ? -kInfinity : call.real(1);
  const float high = call.is_null(2) ? kInfinity : call.real(2);
  return prepare_unary<Clamp>(call, 3, low, high);
}
Error prepare_neg(Call& call) { return prepare_unary<Neg>(call, 1); }
Error prepare_abs(Call& call) { return prepare_unary<Abs>(call, 1); }
Error prepare_leaky_relu(Call& call) { return prepare_unary<LeakyRelu>(call, 2, call.real(1)); }
Error prepare_reciprocal(Call& call) { return prepare_unary<Reciprocal>(call, 1); }

Error prepare_add(Call& call) { return prepare_binary<Add>(call, 3, call.real(2)); }
Error prepare_sub(Call& call) { return prepare_binary<Sub>(call, 3, call.real(2)); }
Error prepare_mul(Call& call) { return prepare_binary<Mul>(call, 2); }
Error prepare_div(Call& call) { return prepare_binary<Div>(call, 2); }
Error prepare_minimum(Call& call) { return prepare_binary<Minimum>(call, 2); }
Error prepare_maximum(Call& call) { return prepare_binary<Maximum>(call, 2); }

Error prepare_add_scalar(Call& call) { return prepare_with_scalar<Add>(call, 3, call.real(2)); }
Error prepare_sub_scalar(Call& call) { return prepare_with_scalar<Sub>(call, 3, call.real(2)); }
Error prepare_mul_scalar(Call& call) { return prepare_with_scalar<Mul>(call, 2); }
Error prepare_div_scalar(Call& call) { return prepare_with_scalar<Div>(call, 2); }


Error prepare_gt_scalar(Call& call) { return prepare_comparison(call, [](float x, float y) { return x > y; }); }
Error prepare_ge_scalar(Call& call) { return prepare_comparison(call, [](float x, float y) { return x >= y; }); }
Error prepare_lt_scalar(Call& call) { return prepare_comparison(call, [](float x, float y) { return x < y; }); }
Error prepare_le_scalar(Call& call) { return prepare_comparison(call, [](float x, float y) { return x <= y; }); }
Error prepare_eq_scalar(Call& call) { return prepare_comparison(call, [](float x, float y) { return x == y; }); }

Error prepare_logical_not(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kBool), y = call.output(1, ScalarType::kBool);
  Comparison step = {{}, x.data, y.data, 0, {}};
  call.require(x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run_logical_not, step);
}

Error prepare_where(Call& call) {
  const Tensor truth = call.tensor(0, ScalarType::kBool), x = call.tensor(1, ScalarType::kFloat);
  const Tensor y = call.tensor(2, ScalarType::kFloat), z = call.output(3, ScalarType::kFloat);
  Where step = {{}, truth.data, x.as<const float>(), y.as<const float>(), z.as<float>(), {}};
  call.require(loops_over(step.loops, z, truth, x, y));
  return call.add(run_where, step);
}

}  // namespace kindling::upstream
