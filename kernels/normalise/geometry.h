// How kernels walk through [outer][positions][groups][depth]; geometry.py says what that is.
#pragma once

#include <cstdint>

#include "kernels/check.h"

namespace kindling {

/// Calls with the first element of each (outer, group) in input and output, and with the group's first of the arrays [groups * depth].
template <class Element, class Params, class Visit>
inline void for_each_group(const Element* input, const Params& params, Element* output, Visit visit) {
  const std::uint32_t width = params.groups * params.depth;
  for (std::uint32_t outer = 0; outer < params.outer; ++outer) {
    for (std::uint32_t first = 0; first < width; first += params.depth) visit(input + first, first, output + first);
    input += width * params.positions;
    output += width * params.positions;
  }
}

/// Calls with the index, from the group's first element, and the place within the depth, of each element of a group.
template <class Params, class Visit>
inline void for_each_element(const Params& params, Visit visit) {
  const std::uint32_t width = params.groups * params.depth;
  for (std::uint32_t position = 0, row = 0; position < params.positions; ++position, row += width) {
    for (std::uint32_t i = 0; i < params.depth; ++i) visit(row + i, i);
  }
}

/// Whether sizes fit each other and the elements, and arrays of 4 bytes an entry lie in the constant.
template <class Params>
bool is_normalisation(const Params& params, std::uint32_t elements, std::uint32_t params_bytes, std::uint32_t first_array,
                      std::uint32_t second_array) {
  if (!all_positive(params.outer, params.positions, params.groups, params.depth)) return false;
  const Size width = Size(params.groups) * params.depth;
  return (width * params.positions * params.outer).is(elements) && holds_array<Params>(params_bytes, first_array, width * 4u) &&
         holds_array<Params>(params_bytes, second_array, width * 4u);
}

}  // namespace kindling
