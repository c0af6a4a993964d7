// 3x3 windows over four rows, on scalar and DSP cores.
#pragma once

#include "kernels/target.h"

#if !KINDLING_MVE

#include <cstdint>

#include "kernels/depthwise_conv2d/four_rows.h"
#include "kernels/depthwise_conv2d/record.h"
#include "kernels/dsp.h"
#include "kernels/requantise.h"

namespace kindling {

#if KINDLING_DSP

/// A column of inputs: rows 0 and 2, rows 1 and 3.
struct Inputs {
  std::int32_t rows02, rows13;

  explicit Inputs(std::uint32_t word) : rows02(__sxtb16(word)), rows13(sxtb16_odd(word)) {}
};

/// A channel's weights, doubled: top and bottom of each column in a word, the middles of the left and the centre one, of the right
/// one.
struct Kernel3x3 {
  std::int32_t left, centre, right, inner, right_middle;

  Kernel3x3(const Record3x3& record, RightCorners corners) {
    using Word [[gnu::may_alias]] = std::uint32_t;
    const auto* words = reinterpret_cast<const Word*>(&record.left_top);
    left = doubled_halves(__sxtb16(words[0]));
    inner = doubled_halves(sxtb16_odd(words[0]));
    centre = doubled_halves(__sxtb16(words[1]));
    right = doubled_halves(pack_halves(corners.top, corners.bottom));
    right_middle = record.right_middle * 2;
  }
};

/// Sums of products with doubled weights begin with a doubled bias, and end as NarrowFactor::apply_to_double takes them.
inline std::int32_t sum_of_bias(std::int32_t bias2) { return bias2; }

inline std::int32_t finish(const NarrowFactor& factor, std::int32_t sum) { return factor.apply_to_double(sum); }

/// Adds the left, centre or right column to an output of the upper row, which sees rows 0 to 2, and of the lower row, which sees
/// rows 1 to 3.
inline std::int32_t upper_left(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlabb(inputs.rows13, kernel.inner, __smlad(inputs.rows02, kernel.left, sum));
}
inline std::int32_t upper_centre(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlabt(inputs.rows13, kernel.inner, __smlad(inputs.rows02, kernel.centre, sum));
}
inline std::int32_t upper_right(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlabb(inputs.rows13, kernel.right_middle, __smlad(inputs.rows02, kernel.right, sum));
}
inline std::int32_t lower_left(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlatb(inputs.rows02, kernel.inner, __smlad(inputs.rows13, kernel.left, sum));
}
inline std::int32_t lower_centre(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlatt(inputs.rows02, kernel.inner, __smlad(inputs.rows13, kernel.centre, sum));
}
inline std::int32_t lower_right(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return __smlatb(inputs.rows02, kernel.right_middle, __smlad(inputs.rows13, kernel.right, sum));
}

#else

struct Inputs {
  std::int32_t row0, row1, row2, row3;

  explicit Inputs(std::uint32_t word)
      : row0(static_cast<std::int8_t>(word)),
        row1(static_cast<std::int8_t>(word >> 8)),
        row2(static_cast<std::int8_t>(word >> 16)),
        row3(static_cast<std::int32_t>(word) >> 24) {}
};

/// A channel's weights.
struct Kernel3x3 {
  std::int32_t left_top, left_middle, left_bottom, centre_top, centre_middle, centre_bottom, right_top, right_middle, right_bottom;

  Kernel3x3(const Record3x3& record, RightCorners corners)
      : left_top(record.left_top),
        left_middle(record.left_middle),
        left_bottom(record.left_bottom),
        centre_top(record.centre_top),
        centre_middle(record.centre_middle),
        centre_bottom(record.centre_bottom),
        right_top(corners.top),
        right_middle(record.right_middle),
        right_bottom(corners.bottom) {}
};

inline std::int32_t sum_of_bias(std::int32_t bias2) { return bias2 / 2; }

inline std::int32_t finish(const NarrowFactor& factor, std::int32_t sum) { return factor.apply(sum); }

inline std::int32_t upper_left(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row0 * kernel.left_top + inputs.row1 * kernel.left_middle + inputs.row2 * kernel.left_bottom;
}
inline std::int32_t upper_centre(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row0 * kernel.centre_top + inputs.row1 * kernel.centre_middle + inputs.row2 * kernel.centre_bottom;
}
inline std::int32_t upper_right(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row0 * kernel.right_top + inputs.row1 * kernel.right_middle + inputs.row2 * kernel.right_bottom;
}
inline std::int32_t lower_left(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row1 * kernel.left_top + inputs.row2 * kernel.left_middle + inputs.row3 * kernel.left_bottom;
}
inline std::int32_t lower_centre(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row1 * kernel.centre_top + inputs.row2 * kernel.centre_middle + inputs.row3 * kernel.centre_bottom;
}
inline std::int32_t lower_right(std::int32_t sum, const Inputs& inputs, const Kernel3x3& kernel) {
  return sum + inputs.row1 * kernel.right_top + inputs.row2 * kernel.right_middle + inputs.row3 * kernel.right_bottom;
}

#endif

/// A column's inputs.
inline Inputs inputs_of(FourRows rows, const std::uint32_t* column) {
  return Inputs(*column >> rows.rotation | *column << ((32 - rows.rotation) & 31));
}

}  // namespace kindling

#endif
