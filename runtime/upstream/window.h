// Windows that move over two-dimensional images: the shapes of pools and convolutions.
#pragma once

#include <cstdint>

#include "runtime/upstream/call.h"
#include "runtime/upstream/tensor.h"

namespace kindling::upstream {

/// The positions of a window along one axis of an image.
struct Axis {
  int32_t input, output;  // size of the image, number of positions
  int32_t kernel, stride, padding, dilation;

  /// The taps [first, end) of position `at` that lie inside the image.
  struct Taps {
    int32_t start;  // where tap 0 lies
    int32_t first, end;
  };
  Taps taps(int32_t at) const {
    Taps taps = {at * stride - padding, 0, kernel};
    if (taps.start < 0) taps.first = (-taps.start + dilation - 1) / dilation;
    const int32_t room = input - taps.start;  // from tap 0 to the image's end
    const int32_t fitting = room <= 0 ? 0 : (room + dilation - 1) / dilation;
    if (taps.end > fitting) taps.end = fitting;
    return taps;
  }

  /// Positions that such a window has; with `ceil`, also a last one that starts inside the image or its padding in front.
  int64_t positions(bool ceil) const;

  /// Whether numbers are such that nothing overflows.
  bool is_sane() const;
};

/// An image: batch, channels, rows, columns.
struct Image {
  uint32_t sizes[4];
  uint32_t strides[4];

  /// The same with dimension i where `order[i]` was.
  Image permuted(const uint32_t (&order)[4]) const;
};

/// A tensor of 3 or 4 dimensions as an image; of 3, rows are missing if it is a row (`is_row`), or else there is no batch. Any other
/// is an error of the call.
Image image_of(Call& call, const Tensor& tensor, bool is_row = false);

/// Numbers for rows and columns.
struct WindowOptions {
  Ints kernel, stride, padding, dilation;
};

/// Windows over each channel by itself.
struct Windows {
  uint32_t batches, channels;
  Axis axes[2];                        // rows, columns
  uint32_t x_strides[4], y_strides[4];  // of the image, and of what comes out

  /// Of a pool. Every window has a tap in the image.
  static Windows of(Call& call, const Image& x, const Image& y, const WindowOptions& options, bool ceil);

  /// Calls body(offset of the channel in x, offset in y, rows, columns) at each position.
  template <class Body>
  void for_each(Body body) const {
    for (uint32_t n = 0; n < batches; ++n) {
      for (uint32_t c = 0; c < channels; ++c) {
        const uint32_t x = n * x_strides[0] + c * x_strides[1], y = n * y_strides[0] + c * y_strides[1];
        for (int32_t row = 0; row < axes[0].output; ++row) {
          const Axis::Taps rows = axes[0].taps(row);
          for (int32_t column = 0; column < axes[1].output; ++column) {
            body(x, y + row * y_strides[2] + column * y_strides[3], rows, axes[1].taps(column));
          }
        }
      }
    }
  }
};

/// A convolution. Transposed, `axes` are those of the window over what comes out, whose positions are those of the input.
struct ConvolutionShape {
  uint32_t batches, groups;
  uint32_t x_channels, y_channels;  // of a group
  Axis axes[2];                     // rows, columns
  uint32_t x_strides[4], y_strides[4];
  uint32_t weight_strides[4];  // channel of y, channel of x, row, column
  uint32_t group_stride;       // of weights

  /// `kernel` is channels of y, channels of x, rows, columns: of one group, those of x, or transposed those of y. `more` are the
  /// rows and columns that a transposed convolution has beyond its windows. The kernel's size in `options` is not read.
  static ConvolutionShape of(Call& call, const Image& x, const Image& y, const Image& kernel, const WindowOptions& options,
                             int32_t groups, bool transposed, const Ints& more);
};

}  // namespace kindling::upstream
