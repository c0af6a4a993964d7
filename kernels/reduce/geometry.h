// How reductions walk through their input.
#pragma once

#include <cstdint>

#include "kernels/check.h"
#include "kernels/kernel.h"

namespace kindling {

/// Calls reduce(first element, outputs) for `kLanes` neighbouring outputs at a time, and for the fewer that are left in a row.
template <std::uint32_t kLanes, class Element, class Params, class Reduce>
inline void for_each_output(const Element* input, const Params& params, Reduce reduce) {
  for (std::uint32_t outer = 0; outer < params.kept_outer; ++outer, input += params.kept_outer_step) {
    const Element* first = input;
    for (std::int32_t left = static_cast<std::int32_t>(params.kept_inner); left > 0; left -= kLanes) {
      reduce(first, left);
      first += kLanes * params.kept_inner_step;
    }
  }
}

/// Combines all elements that belong to one output, or to several neighbours, with `start`: start = combine(start, element's address).
template <class Element, class Params, class Value, class Combine>
inline Value combine_all(const Element* first, const Params& params, Value start, Combine combine) {
  const std::uint32_t step = params.reduced_inner_step;
  for (std::uint32_t outer = params.reduced_outer; outer > 0; --outer, first += params.reduced_outer_step) {
    const Element* element = first;
#pragma GCC unroll 4
    for (std::uint32_t left = params.reduced_inner; left > 0; --left, element += step) start = combine(start, element);
  }
  return start;
}

/// Likewise where the inner elements are neighbours, for runs of up to 16: start = combine(start, run's address, elements left).
template <class Params, class Value, class Combine>
inline Value combine_runs(const std::int8_t* first, const Params& params, Value start, Combine combine) {
  for (std::uint32_t outer = params.reduced_outer; outer > 0; --outer, first += params.reduced_outer_step) {
    const std::int8_t* run = first;
    for (std::int32_t left = static_cast<std::int32_t>(params.reduced_inner); left > 0; left -= 16, run += 16) {
      start = combine(start, run, left);
    }
  }
  return start;
}

/// The params; nullptr if they do not fit the sizes of input and output, or an element lies outside the input.
template <class Params, std::uint32_t kInputItemsize = 1>
const Params* reduction_of(const std::uint32_t* argument_bytes, const void* constant, std::uint32_t output_itemsize) {
  const std::uint32_t input_elements = argument_bytes[0] / kInputItemsize;
  const auto* params = params_of<Params>(constant, argument_bytes[1]);
  if (params == nullptr ||
      !all_positive(params->kept_outer, params->kept_inner, params->reduced_outer, params->reduced_inner)) {
    return nullptr;
  }
  const Size outputs = Size(params->kept_outer) * params->kept_inner;
  const Size elements = outputs * params->reduced_outer * params->reduced_inner;
  const Size end = Size(params->kept_outer - 1) * params->kept_outer_step + Size(params->kept_inner - 1) * params->kept_inner_step +
                   Size(params->reduced_outer - 1) * params->reduced_outer_step +
                   Size(params->reduced_inner - 1) * params->reduced_inner_step + 1;
  const bool fits = argument_bytes[0] % kInputItemsize == 0 && elements.is(input_elements) && end.is_at_most(input_elements) &&
                    argument_bytes[0] < 0x80000000u && (outputs * output_itemsize).is(argument_bytes[2]);
  return fits ? params : nullptr;
}

}  // namespace kindling
