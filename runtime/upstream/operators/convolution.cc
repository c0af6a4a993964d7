#include "runtime/upstream/operators/convolution.h"

namespace kindling::upstream {
namespace {

/// Where the input, the output, the weights and the bias of one group of one image start.
struct Part {
  const float* x;
  float* y;
  const float* weights;
  const float* bias;
};

template <class Body>
void for_each_part(const Convolution& p, Body body) {
  const ConvolutionShape& shape = p.shape;
  for (uint32_t n = 0; n < shape.batches; ++n) {
    for (uint32_t g = 0; g < shape.groups; ++g) {
      const uint32_t x_channel = g * shape.x_channels, y_channel = g * shape.y_channels;
      body(Part{p.x + n * shape.x_strides[0] + x_channel * shape.x_strides[1],
                p.y + n * shape.y_strides[0] + y_channel * shape.y_strides[1], p.weights + g * shape.group_stride,
                p.bias == nullptr ? nullptr : p.bias + y_channel});
    }
  }
}

float sum_at(const ConvolutionShape& shape, const float* x, const float* weights, const Axis::Taps& rows,
             const Axis::Taps& columns) {
  float sum = 0;
  for (uint32_t c = 0; c < shape.x_channels; ++c, x += shape.x_strides[1], weights += shape.weight_strides[1]) {
    for (int32_t i = rows.first; i < rows.end; ++i) {
      const float* row = x + (rows.start + i * shape.axes[0].dilation) * shape.x_strides[2];
      const float* weight = weights + i * shape.weight_strides[2];
      for (int32_t j = columns.first; j < columns.end; ++j) {
        const int32_t column = columns.start + j * shape.axes[1].dilation;
        sum += row[column * shape.x_strides[3]] * weight[j * shape.weight_strides[3]];
      }
    }
  }
  return sum;
}

void run_convolution(const Step& step) {
  const auto& p = static_cast<const Convolution&>(step);
  const ConvolutionShape& shape = p.shape;
  for_each_part(p, [&](const Part& part) {
    for (int32_t row = 0; row < shape.axes[0].output; ++row) {
      const Axis::Taps rows = shape.axes[0].taps(row);
      for (int32_t column = 0; column < shape.axes[1].output; ++column) {
        const Axis::Taps columns = shape.axes[1].taps(column);
        float* y = part.y + row * shape.y_strides[2] + column * shape.y_strides[3];
        for (uint32_t o = 0; o < shape.y_channels; ++o) {
          float sum = sum_at(shape, part.x, part.weights + o * shape.weight_strides[0], rows, columns);
          if (part.bias != nullptr) sum += part.bias[o];
          y[o * shape.y_strides[1]] = sum;
        }
      }
    }
  });
}

/// Adds what one input position gives to one output channel.
void scatter(const ConvolutionShape& shape, const float* x, const float* weights, const Axis::Taps& rows, const Axis::Taps& columns,
             float* y) {
  for (uint32_t c = 0; c < shape.x_channels; ++c, x += shape.x_strides[1], weights += shape.weight_strides[1]) {
    for (int32_t i = rows.first; i < rows.end; ++i) {
      float* row = y + (rows.start + i * shape.axes[0].dilation) * shape.y_strides[2];
      const float* weight = weights + i * shape.weight_strides[2];
      for (int32_t j = columns.first; j < columns.end; ++j) {
        const int32_t column = columns.start + j * shape.axes[1].dilation;
        row[column * shape.y_strides[3]] += *x * weight[j * shape.weight_strides[3]];
      }
    }
  }
}

void run_transposed(const Step& step) {
  const auto& p = static_cast<const Convolution&>(step);
  const ConvolutionShape& shape = p.shape;
  for_each_part(p, [&](const Part& part) {
    for (uint32_t o = 0; o < shape.y_channels; ++o) {
      float* y = part.y + o * shape.y_strides[1];
      for (int32_t row = 0; row < shape.axes[0].input; ++row) {
        for (int32_t column = 0; column < shape.axes[1].input; ++column) {
          y[row * shape.y_strides[2] + column * shape.y_strides[3]] = part.bias == nullptr ? 0 : part.bias[o];
        }
      }
      for (int32_t row = 0; row < shape.axes[0].output; ++row) {
        const Axis::Taps rows = shape.axes[0].taps(row);
        for (int32_t column = 0; column < shape.axes[1].output; ++column) {
          const float* x = part.x + row * shape.x_strides[2] + column * shape.x_strides[3];
          scatter(shape, x, part.weights + o * shape.weight_strides[0], rows, shape.axes[1].taps(column), y);
        }
      }
    }
  });
}

/// Options of a row are those of its columns.
Ints of_columns(const Ints& row, int32_t otherwise) { return {{otherwise, row.of_two(0, otherwise)}, 2}; }

}  // namespace

Error prepare_convolution(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), weights = call.tensor(1, ScalarType::kFloat);
  const bool has_bias = !call.is_null(2), transposed = call.flag(6), is_row = x.rank == 3;
  const Tensor bias = has_bias ? call.tensor(2, ScalarType::kFloat) : Tensor{};
  WindowOptions options = {{}, call.integers(3), call.integers(4), call.integers(5)};
  Ints more = call.integers(7);
  if (is_row) {
    options.stride = of_columns(options.stride, 1);
    options.padding = of_columns(options.padding, 0);
    options.dilation = of_columns(options.dilation, 1);
    more = of_columns(more, 0);
  }
  const Tensor y = call.output(9, ScalarType::kFloat);
  const Image from = image_of(call, x, is_row), to = image_of(call, y, is_row);
  Image kernel = image_of(call, weights, is_row);
  if (transposed) kernel = kernel.permuted({1, 0, 2, 3});
  call.require(x.rank == y.rank && x.rank == weights.rank);
  call.require(!has_bias || (bias.rank == 1 && bias.sizes[0] == to.sizes[1]));
  Convolution step = {{}, x.as<const float>(), weights.as<const float>(), has_bias ? bias.as<const float>() : nullptr,
                      y.as<float>(), {}};
  step.shape = ConvolutionShape::of(call, from, to, kernel, options, call.integer(8), transposed, more);
  return call.add(transposed ? run_transposed : run_convolution, step);
}

}  // namespace kindling::upstream
