#include <cmath>

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

}  // namespace kindling::upstream
