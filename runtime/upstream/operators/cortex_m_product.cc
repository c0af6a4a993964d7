#include "runtime/upstream/operators/cortex_m_product.h"

namespace kindling::upstream {
namespace {

void run_product(const Step& step) {
  const auto& p = static_cast<const QuantizedProduct&>(step);
  const int8_t* a = p.a;
  int8_t* y = p.y;
  for (uint32_t n = 0; n < p.batches; ++n) {
    for (uint32_t i = 0; i < p.rows; ++i, a += p.depth) {
      const int8_t* b = p.b + n * p.b_batch_bytes;
      for (uint32_t j = 0; j < p.columns; ++j, b += p.depth) {
        uint32_t sum = p.bias == nullptr ? 0 : static_cast<uint32_t>(p.bias[j]);
        for (uint32_t k = 0; k < p.depth; ++k) add_product(sum, a[k] + p.a_offset, b[k] + p.b_offset);
        *y++ = p.rail.apply(p.factor.apply(static_cast<int32_t>(sum)));
      }
    }
  }
}

/// The first number of a list: the product's factor is the same for all columns.
int32_t first_of(Call& call, uint32_t i) {
  const Ints list = call.integers(i);
  call.require(list.size >= 1);
  return list[0];
}

}  // namespace

/// With a kernel sum, which holds the bias and what the input's offset adds, neither of these counts.
Error prepare_quantized_linear(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar), weights = call.tensor(1, ScalarType::kChar);
  const Tensor y = call.output(11, ScalarType::kChar);
  const bool summed = !call.is_null(3), has_bias = summed || !call.is_null(2);
  const Tensor bias = has_bias ? call.tensor(summed ? 3 : 2, ScalarType::kInt) : Tensor{};
  QuantizedProduct step = {{}, x.as<const int8_t>(), weights.as<const int8_t>(), has_bias ? bias.as<const int32_t>() : nullptr,
                           y.as<int8_t>(), 1, 0, y.size_from_end(0), x.size_from_end(0), summed ? 0 : offset_of(call, 4),
                           offset_of(call, 5), 0, {first_of(call, 7), first_of(call, 8)}, rail_of(call, 6, 10, 9)};
  call.require(is_sane(step.factor) && step.b_offset == 0);
  call.require(weights.rank == 2 && weights.sizes[0] == step.columns && weights.sizes[1] == step.depth);
  call.require(!has_bias || bias.count == step.columns);
  call.require(x.rank >= 1 && step.depth != 0 && step.columns != 0 && x.is_row_major() && y.is_row_major() &&
               weights.is_row_major());
  if (call.error() != Error::Ok) return call.error();
  step.rows = x.count / step.depth;
  call.require(y.count == step.rows * step.columns);
  return call.add(run_product, step);
}

/// What the schema calls zero points of the operands are their opposites. The second operand is transposed already.
Error prepare_quantized_batch_matmul(Call& call) {
  const Tensor a = call.tensor(0, ScalarType::kChar), b = call.tensor(2, ScalarType::kChar), y = call.output(8, ScalarType::kChar);
  QuantizedProduct step = {{}, a.as<const int8_t>(), b.as<const int8_t>(), nullptr, y.as<int8_t>(), a.size_from_end(2),
                           a.size_from_end(1), b.size_from_end(1), a.size_from_end(0), offset_of(call, 1), offset_of(call, 3),
                           b.size_from_end(1) * b.size_from_end(0), factor_of(call, 5), {offset_of(call, 4), -128, 127}};
  const uint32_t product[] = {step.batches, step.rows, step.columns};
  call.require(a.rank == 3 && b.rank == 3 && y.has_sizes(product, 3) && b.size_from_end(2) == step.batches &&
               b.size_from_end(0) == step.depth && a.count != 0 && b.count != 0);
  call.require(a.is_row_major() && b.is_row_major() && y.is_row_major());
  return call.add(run_product, step);
}

}  // namespace kindling::upstream
