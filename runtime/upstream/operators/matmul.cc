#include "runtime/upstream/loops.h"
#include "runtime/upstream/operators/matmul.h"

namespace kindling::upstream {
namespace {

void run_matrix_product(const Step& step) {
  const auto& p = static_cast<const MatrixProduct&>(step);
  float* out = p.out;
  for (uint32_t n = 0; n < p.batches; ++n) {
    for (uint32_t i = 0; i < p.rows; ++i) {
      for (uint32_t j = 0; j < p.columns; ++j) {
        const float* a = p.a + n * p.a_strides[0] + i * p.a_strides[1];
        const float* b = p.b + n * p.b_strides[0] + j * p.b_strides[2];
        float sum = 0;
        for (uint32_t k = p.depth; k > 0; --k, a += p.a_strides[2], b += p.b_strides[1]) sum += *a * *b;
        if (p.bias != nullptr) sum = sum * p.alpha + p.bias[i * p.bias_strides[0] + j * p.bias_strides[1]] * p.beta;
        *out++ = sum;
      }
    }
  }
}

/// The three strides of a matrix, or of a batch of them.
void set_strides(const Tensor& matrix, uint32_t (&strides)[3]) {
  for (uint32_t i = 0; i < 3; ++i) strides[i] = i + matrix.rank < 3 ? 0 : matrix.strides[i + matrix.rank - 3];
}

/// a [n][i][k] times b [n][k][j]; the first dimension need not be there.
Error prepare_product(Call& call, const Tensor& a, const Tensor& b, const Tensor& out, MatrixProduct product = {}) {
  product.a = a.as<const float>();
  product.b = b.as<const float>();
  product.out = out.as<float>();
  product.batches = out.count == 0 ? 0 : out.size_from_end(2);
  product.rows = out.size_from_end(1);
  product.columns = out.size_from_end(0);
  product.depth = a.size_from_end(0);
  set_strides(a, product.a_strides);
  set_strides(b, product.b_strides);
  call.require(a.rank == out.rank && b.rank == out.rank && (out.rank == 2 || out.rank == 3) && out.is_row_major());
  call.require(a.size_from_end(1) == product.rows && b.size_from_end(0) == product.columns);
  call.require(b.size_from_end(1) == product.depth);
  call.require(a.size_from_end(2) == out.size_from_end(2) && b.size_from_end(2) == out.size_from_end(2));
  return call.add(run_matrix_product, product);
}

/// Sets the bias, broadcast to the output's last two dimensions.
void set_bias(Call& call, const Tensor& bias, const Tensor& out, MatrixProduct& product) {
  bool fits = bias.rank <= 2;
  product.bias = bias.as<const float>();
  product.bias_strides[0] = broadcast_stride(bias, 1, out.size_from_end(1), fits);
  product.bias_strides[1] = broadcast_stride(bias, 0, out.size_from_end(0), fits);
  call.require(fits);
}

}  // namespace

Error prepare_addmm(Call& call) {
  const Tensor bias = call.tensor(0, ScalarType::kFloat), a = call.tensor(1, ScalarType::kFloat);
  const Tensor b = call.tensor(2, ScalarType::kFloat), out = call.output(5, ScalarType::kFloat);
  MatrixProduct product = {};
  product.beta = call.real(3);
  product.alpha = call.real(4);
  set_bias(call, bias, out, product);
  return prepare_product(call, a, b, out, product);
}

Error prepare_mm(Call& call) {
  const Tensor a = call.tensor(0, ScalarType::kFloat), b = call.tensor(1, ScalarType::kFloat);
  const Tensor out = call.output(2, ScalarType::kFloat);
  call.require(out.rank == 2);
  return prepare_product(call, a, b, out);
}

Error prepare_bmm(Call& call) {
  const Tensor a = call.tensor(0, ScalarType::kFloat), b = call.tensor(1, ScalarType::kFloat);
  const Tensor out = call.output(2, ScalarType::kFloat);
  call.require(out.rank == 3);
  return prepare_product(call, a, b, out);
}

/// The weights are [columns][depth]; the input may have any number of dimensions in front of its last.
Error prepare_linear(Call& call) {
  Tensor x = call.tensor(0, ScalarType::kFloat), weights = call.tensor(1, ScalarType::kFloat);
  Tensor out = call.output(3, ScalarType::kFloat);
  MatrixProduct product = {};
  product.beta = product.alpha = 1;
  if (!call.is_null(2)) set_bias(call, call.tensor(2, ScalarType::kFloat), out, product);
  const uint32_t depth = x.size_from_end(0), columns = out.size_from_end(0);
  call.require(x.rank >= 1 && x.rank == out.rank && weights.rank == 2 && x.is_row_major() && out.is_row_major());
  call.require(depth != 0 && columns != 0, Error::NotSupported);
  if (call.error() != Error::Ok) return call.error();
  const auto flatten = [](Tensor& tensor, uint32_t columns) {
    tensor.rank = 2;
    tensor.sizes[0] = tensor.count / columns, tensor.sizes[1] = columns;
    tensor.strides[0] = columns, tensor.strides[1] = 1;
  };
  flatten(x, depth);
  flatten(out, columns);
  const auto swap = [](uint32_t& a, uint32_t& b) {
    const uint32_t old = a;
    a = b;
    b = old;
  };
  swap(weights.sizes[0], weights.sizes[1]);
  swap(weights.strides[0], weights.strides[1]);
  return prepare_product(call, x, weights, out, product);
}

}  // namespace kindling::upstream
