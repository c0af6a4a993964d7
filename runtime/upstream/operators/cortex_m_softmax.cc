#include "runtime/upstream/operators/cortex_m_softmax.h"

namespace kindling::upstream {
namespace {

void run_softmax(const Step& step) {
  const auto& p = static_cast<const QuantizedSoftmax&>(step);
  softmax_s8(p.x, p.params, p.y);
}

}  // namespace

Error prepare_quantized_softmax(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.output(7, ScalarType::kChar);
  const int32_t dim = call.integer(1), last = static_cast<int32_t>(x.rank) - 1;
  QuantizedSoftmax step = {{}, x.as<const int8_t>(), y.as<int8_t>(), {}};
  step.params.depth = x.size_from_end(0);
  step.params.inner = 1;
  step.params.input_multiplier = call.integer(4);
  step.params.input_shift = call.integer(5);
  const int32_t diff_min = call.integer(6);
  step.params.diff_min = diff_min < -255 ? -255 : diff_min;  // no difference of int8 is less
  call.require((dim == -1 || dim == last) && x.has_sizes_of(y) && x.count != 0);
  call.require(x.is_row_major() && y.is_row_major() && call.integer(3) == -128, Error::NotSupported);
  // Sums have 12 bits, and no difference that counts overflows when it is shifted.
  const int32_t shift = step.params.input_shift;
  call.require(step.params.depth < 1 << 12 && step.params.input_multiplier >= 0 && shift >= 0 && shift <= 30);
  call.require(diff_min <= 0 && call.error() == Error::Ok && -step.params.diff_min <= INT32_MAX >> shift);
  if (call.error() != Error::Ok) return call.error();
  step.params.outer = x.count / step.params.depth;
  return call.add(run_softmax, step);
}

}  // namespace kindling::upstream
