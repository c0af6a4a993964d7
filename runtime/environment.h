// What a firmware provides for a method of a program, all of it fixed at build time.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "runtime/signature.h"
#include "runtime/span.h"

namespace kindling {

/// The kernels, in the order in which programs number their operators.
struct KernelTable {
  const char* names;  // "kindling::conv2d_s8" and so on; each starts at a multiple of 4 bytes and ends in a zero
  const Kernel* kernels;
  const Signature* signatures;
  uint32_t count;
};

/// Memory that tensors are planned into. `data` is aligned to 16 bytes.
using Region = Span<uint8_t>;

/// An input or output of a method.
struct Port {
  ElementType type;
  Span<const uint32_t> shape;
};

/// A program fits if its operators are those of the table, by name; if its inputs and outputs have these types and shapes; and if it
/// needs no more than there is of the rest.
struct Environment {
  KernelTable kernels;
  Span<const Port> inputs;
  Span<const Port> outputs;
  Span<const Region> regions;  // region i is memory_id i + 1 of the program
  Span<void*> addresses;       // room for the address of each value
  Region state = {nullptr, 0};  // that of the regions, not the first, which holds what lasts from run to run, see state.h
};

}  // namespace kindling
