#include "kernels/float_math.h"
#include "runtime/upstream/operators/functions.h"

namespace kindling::upstream {
namespace {

template <float (*kFunction)(float)>
void run_function(const Step& step) {
  const auto& p = static_cast<const Function&>(step);
  for_each(p.loops, [&](const uint32_t* at) { p.y[at[0]] = kFunction(p.x[at[1]]); });
}

Error prepare_function(Call& call, uint32_t output, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(output, ScalarType::kFloat);
  Function step = {{}, x.as<const float>(), y.as<float>(), {}};
  call.require(x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run, step);
}

float reciprocal_root(float x) { return 1 / square_root(x); }
float gelu(float x) { return x * 0.5f * (1 + error_function(x * 0.70710678f)); }

/// Softmax subtracts the largest, then divides by the sum of exponentials; its logarithm subtracts the sum's.
template <bool kLogarithm>
void run_softmax(const Step& step) {
  const auto& p = static_cast<const Softmax&>(step);
  for_each(p.loops, [&](const uint32_t* at) {
    const float* x = p.x + at[1];
    float* y = p.y + at[0];
    float largest = *x, sum = 0;
    for (uint32_t i = 1; i < p.depth; ++i) largest = greater(x[i * p.x_stride], largest);
    for (uint32_t i = 0; i < p.depth; ++i) {
      const float difference = x[i * p.x_stride] - largest, power = exponential(difference);
      y[i * p.y_stride] = kLogarithm ? difference : power;
      sum += power;
    }
    const float log = kLogarithm ? logarithm(sum) : 0;
    for (uint32_t i = 0; i < p.depth; ++i) {
      float& result = y[i * p.y_stride];
      result = kLogarithm ? result - log : result / sum;
    }
  });
}

Error prepare_softmax(Call& call, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(3, ScalarType::kFloat);
  const uint32_t axis = call.dimension(1, x.rank);
  call.require(!call.flag(2), Error::NotSupported);  // from another type
  call.require(x.has_sizes_of(y) && x.rank >= 1 && x.count != 0);
  if (call.error() != Error::Ok) return call.error();
  Softmax step = {{}, x.as<const float>(), y.as<float>(), x.sizes[axis], x.strides[axis], y.strides[axis], {}};
  Loop loops[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) loops[i] = {i == axis ? 1 : x.sizes[i], {y.strides[i], x.strides[i]}};
  step.loops = merged<2>(loops, x.rank);
  return call.add(run, step);
}

}  // namespace

Error prepare_sigmoid(Call& call) { return prepare_function(call, 1, run_function<sigmoid>); }
Error prepare_tanh(Call& call) { return prepare_function(call, 1, run_function<hyperbolic_tangent>); }
Error prepare_exp(Call& call) { return prepare_function(call, 1, run_function<exponential>); }
Error prepare_log(Call& call) { return prepare_function(call, 1, run_function<logarithm>); }
Error prepare_sqrt(Call& call) { return prepare_function(call, 1, run_function<square_root>); }
Error prepare_rsqrt(Call& call) { return prepare_function(call, 1, run_function<reciprocal_root>); }
Error prepare_log1p(Call& call) { return prepare_function(call, 1, run_function<logarithm_of_one_more>); }
Error prepare_gelu(Call& call) {
  call.require(call.is_text(1, "none"), Error::NotSupported);
  return prepare_function(call, 2, run_function<gelu>);
}
Error prepare_softmax(Call& call) { return prepare_softmax(call, run_softmax<false>); }
Error prepare_log_softmax(Call& call) { return prepare_softmax(call, run_softmax<true>); }

}  // namespace kindling::upstream
