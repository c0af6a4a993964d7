// The input rows that an output row depends on, in scratch: a ring of kernel_height rows, each with its padding. An input row is
// copied once, before the first output row that depends on it is written, so that the output may overwrite the input.
//
// A row is int8 [columns][channels]; on MVE [channels / 16, rounded up][columns][16], with anything behind the last channel.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/depthwise_conv2d/params.h"
#include "kernels/target.h"

namespace kindling {

/// Records (depthwise_conv2d.py): one channel each, on MVE sixteen.
inline constexpr std::uint32_t kDepthwiseRecordChannels = KINDLING_MVE ? 16 : 1;

/// What a record has beside its weights, for each channel: bias, multiplier, shift.
inline constexpr std::uint32_t kDepthwiseConstants = 4 + 4 + 1;

/// Bytes of a record with `taps` weights per channel.
inline std::uint32_t depthwise_record_bytes(std::uint32_t taps) {
  return ((taps + kDepthwiseConstants) * kDepthwiseRecordChannels + 3) & ~3u;
}

/// The rows under one output row, from top to bottom.
class Rows {
 public:
  Rows(const std::int8_t* top, const std::int8_t* ring, std::uint32_t row_bytes, std::uint32_t rows)
      : row_(top), ring_(ring), end_(ring + rows * row_bytes), row_bytes_(row_bytes) {}

  /// The next row: the first column that the first output pixel depends on, channel 0.
  const std::int8_t* next() {
    const std::int8_t* row = row_;
    row_ += row_bytes_;
    if (row_ == end_) row_ = ring_;
    return row;
  }

 private:
  const std::int8_t* row_;
  const std::int8_t* ring_;
  const std::int8_t* end_;
  std::uint32_t row_bytes_;
};

/// Computes one output row, saturated to int8 but not yet clamped.
using RowFunction = void (*)(const DepthwiseConv2dParams& params, Rows rows, std::int8_t* output);

/// Calls `compute_row` for each output row of each image. Scratch: kernel_height rows, as check_rows counts them.
void for_each_row(const std::int8_t* input, const DepthwiseConv2dParams& params, void* scratch, std::int8_t* output,
                  RowFunction compute_row);

/// KernelCheck of a kernel that keeps `rows` input rows in scratch (kAny: kernel_height) and may demand one kernel size and stride.
inline constexpr std::uint32_t kAny = 0;
Error check_rows(const std::uint32_t* argument_bytes, const void* params, std::uint32_t rows, std::uint32_t kernel_size,
                 std::uint32_t stride);

}  // namespace kindling
