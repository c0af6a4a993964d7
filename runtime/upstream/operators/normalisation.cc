#include <cmath>

#include "kernels/float_math.h"
#include "runtime/upstream/operators/normalisation.h"

namespace kindling::upstream {
namespace {

void run_batch_norm(const Step& step) {
  const auto& p = static_cast<const BatchNorm&>(step);
  const float* x = p.x;
  float* y = p.y;
  for (uint32_t n = 0; n < p.outer; ++n) {
    for (uint32_t c = 0; c < p.channels; ++c) {
      const float mean = p.mean[c], factor = static_cast<float>(1 / std::sqrt(p.variance[c] + p.epsilon));
      const float weight = p.weight == nullptr ? 1 : p.weight[c], bias = p.bias == nullptr ? 0 : p.bias[c];
      for (uint32_t i = 0; i < p.inner; ++i) *y++ = (*x++ - mean) * factor * weight + bias;
    }
  }
}

void run_layer_norm(const Step& step) {
  const auto& p = static_cast<const LayerNorm&>(step);
  const float* x = p.x;
  float* y = p.y;
  const float depth = static_cast<float>(p.depth);
  for (uint32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    float sum = 0, squares = 0;
    for (uint32_t i = 0; i < p.depth; ++i) sum += x[i];
    for (uint32_t i = 0; i < p.depth; ++i) squares += x[i] * x[i];
    const float mean = sum / depth, deviation = square_root(squares / depth - mean * mean + p.epsilon);
    for (uint32_t i = 0; i < p.depth; ++i) {
      const float weight = p.weight == nullptr ? 1 : p.weight[i], bias = p.bias == nullptr ? 0 : p.bias[i];
      y[i] = (x[i] - mean) / deviation * weight + bias;
    }
  }
}

}  // namespace

/// The outputs of mean and deviation are empty.
Error prepare_batch_norm(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(7, ScalarType::kFloat);
  BatchNorm step = {};
  step.channels = x.rank < 2 ? 0 : x.sizes[1];
  const auto channels = [&](uint32_t i) {
    const Tensor tensor = call.tensor(i, ScalarType::kFloat);
    call.require(tensor.rank == 1 && tensor.sizes[0] == step.channels);
    return tensor.as<const float>();
  };
  step.x = x.as<const float>();
  step.y = y.as<float>();
  if (!call.is_null(1)) step.weight = channels(1);
  if (!call.is_null(2)) step.bias = channels(2);
  step.mean = channels(3);
  step.variance = channels(4);
  step.epsilon = call.number(6);
  call.require(x.has_sizes_of(y) && step.channels != 0);
  call.require(x.is_row_major() && y.is_row_major(), Error::NotSupported);
  if (call.error() != Error::Ok) return call.error();
  step.outer = x.sizes[0];
  step.inner = 1;
  for (uint32_t i = 2; i < x.rank; ++i) step.inner *= x.sizes[i];
  return call.add(run_batch_norm, step);
}


/// The mean and the reciprocal deviation, which nothing reads in a model that is not being trained, are not written.
Error prepare_layer_norm(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(5, ScalarType::kFloat);
  const Ints shape = call.integers(1);
  LayerNorm step = {{}, x.as<const float>(), y.as<float>(), nullptr, nullptr, 0, 1, call.real(4)};
  call.require(shape.size <= x.rank && x.has_sizes_of(y) && x.count != 0);
  call.require(x.is_row_major() && y.is_row_major(), Error::NotSupported);
  for (uint32_t i = 0; i < shape.size && call.error() == Error::Ok; ++i) {
    const uint32_t size = x.sizes[x.rank - shape.size + i];
    call.require(size == static_cast<uint32_t>(shape[i]));
    step.depth *= size;
  }
  const auto elements = [&](uint32_t i) {
    const Tensor tensor = call.tensor(i, ScalarType::kFloat);
    call.require(tensor.count == step.depth && tensor.is_row_major());
    return tensor.as<const float>();
  };
  if (!call.is_null(2)) step.weight = elements(2);
  if (!call.is_null(3)) step.bias = elements(3);
  if (call.error() != Error::Ok) return call.error();
  step.rows = x.count / step.depth;
  return call.add(run_layer_norm, step);
}

}  // namespace kindling::upstream
