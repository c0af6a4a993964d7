#include "kernels/matmul/matmul.h"

#include "kernels/check.h"
#include "kernels/linear/dot.h"
#include "kernels/requantise.h"

namespace kindling {
namespace {

std::uint32_t record_count(std::uint32_t columns) { return (columns + kDotChannels - 1) / kDotChannels; }

/// Writes the records of all columns of b, as those of linear.py. Columns that are not there repeat the last.
void pack(const std::int8_t* b, const MatmulParams& params, std::uint8_t* records) {
  const std::uint32_t depth = params.depth, columns = params.columns, padded = padded_dot_depth(depth);
  const std::uint32_t depth_step = params.transposed ? 1 : columns, column_step = params.transposed ? depth : 1;
  const std::int32_t both = static_cast<std::int32_t>(depth) * params.zero_point_b;
  for (std::uint32_t first = 0; first < columns; first += kDotChannels) {
    auto& record = *reinterpret_cast<DotRecord*>(records);
    for (std::uint32_t channel = 0; channel < kDotChannels; ++channel) {
      const std::uint32_t column = first + channel < columns ? first + channel : columns - 1;
      const std::int8_t* source = b + column * column_step;
      std::int32_t sum = 0;
      std::uint32_t input = 0;
      for (; input < depth; ++input, source += depth_step) {
        sum += *source;
        record.weights[dot_place(input, channel)] = static_cast<std::uint8_t>(*source + dot_weight_offset(channel));
      }
      for (; input < padded; ++input) record.weights[dot_place(input, channel)] = 0;
      record.bias[channel] = params.zero_point_a * (both - sum) - kDotInputOffset * sum;
      record.multiplier[channel] = params.multiplier;
      record.shift[channel] = dot_shift(params.right_shift);
    }
    records += offsetof(DotRecord, weights) + kDotChannels * padded;
  }
}

std::int32_t sum_of(const std::int8_t* row, std::uint32_t count) {
  std::int32_t sum = 0;
#if KINDLING_MVE
  for (std::int32_t left = static_cast<std::int32_t>(count); left > 0; left -= 16, row += 16) {
    sum = vaddvaq_s8(sum, vldrbq_z_s8(row, vctp8q(left)));
  }
#else
  for (; count > 0; --count) sum += *row++;
#endif
  return sum;
}

}  // namespace

void matmul_s8(const std::int8_t* a, const std::int8_t* b, const MatmulParams& params, void* scratch, std::int8_t* output) {
  const std::uint32_t depth = params.depth, columns = params.columns, padded = padded_dot_depth(depth);
  auto* const row = static_cast<DotInput*>(scratch);
  auto* const packed = reinterpret_cast<std::uint8_t*>(row + padded / kDotInputsEach);
  for (std::uint32_t batch = 0; batch < params.batches; ++batch, b += params.step_b) {
    if (batch == 0 || params.step_b != 0) pack(b, params, packed);
    const std::int8_t* source = a + batch * params.step_a;
    for (std::uint32_t left = params.rows; left > 0; --left, source += depth, output += columns) {
      const std::int32_t correction = params.zero_point_b == 0 ? 0 : params.zero_point_b * sum_of(source, depth);
      const std::int32_t row_sum = prepare_row(source, depth, row);
      multiply_row(row, padded, row_sum, packed, columns, correction, params.output_zero_point, output);
      clamp_outputs(output, columns, activation_of(params));
    }
  }
}

Error check_matmul_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const auto* params = params_of<MatmulParams>(constant, argument_bytes[2]);
  if (params == nullptr || !all_positive(params->batches, params->rows, params->depth, params->columns)) return Error::InvalidArgument;
  const Size depth = params->depth, columns = params->columns, matrix_a = Size(params->rows) * depth, matrix_b = depth * columns;
  const Size batches_a = params->step_a == 0 ? 1 : params->batches, batches_b = params->step_b == 0 ? 1 : params->batches;
  const Size scratch = dot_row_bytes(depth) + Size(record_count(params->columns)) * dot_record_bytes(depth);
  return valid_if((params->step_a == 0 || matrix_a.is(params->step_a)) && (params->step_b == 0 || matrix_b.is(params->step_b)) &&
                  (batches_a * matrix_a).is(argument_bytes[0]) && (batches_b * matrix_b).is(argument_bytes[1]) &&
                  scratch.is_at_most(argument_bytes[3]) && params->right_shift - 1u < 23 &&
                  (Size(params->batches) * params->rows * columns).is(argument_bytes[4]));
}

}  // namespace kindling
