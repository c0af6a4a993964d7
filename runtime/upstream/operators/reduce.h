// aten reductions of float tensors, and of truths.
#pragma once

#include "runtime/upstream/loops.h"
#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// y[i] = of all x that belong to i, in the order of their indices.
struct Reduction : Step {
  const float* x;
  float* y;
  float count;  // of elements that each result is of
  Loops<2> kept;     // y, x
  Loops<1> reduced;  // x
};

/// Whether any of the truths along one dimension holds.
struct Any : Step {
  const uint8_t* x;
  uint8_t* y;
  uint32_t depth, stride;
  Loops<2> loops;  // y, x: over the other dimensions
};

Error prepare_mean(Call& call);
Error prepare_sum(Call& call);
Error prepare_amax(Call& call);
Error prepare_amin(Call& call);
Error prepare_any(Call& call);

inline constexpr Operator aten_mean_out = {"aten::mean.out", 5, kCallBytes<Reduction>, prepare_mean};
inline constexpr Operator aten_sum_IntList_out = {"aten::sum.IntList_out", 5, kCallBytes<Reduction>, prepare_sum};
inline constexpr Operator aten_amax_out = {"aten::amax.out", 4, kCallBytes<Reduction>, prepare_amax};
inline constexpr Operator aten_amin_out = {"aten::amin.out", 4, kCallBytes<Reduction>, prepare_amin};
inline constexpr Operator aten_any_out = {"aten::any.out", 4, kCallBytes<Any>, prepare_any};

}  // namespace kindling::upstream
