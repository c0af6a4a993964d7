// The kernels of one firmware, in the order in which its programs number their operators.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace kindling {

/// The tensors that an instruction hands to a kernel: `inputs`, the params constant, then those that the kernel writes.
struct Signature {
  uint8_t inputs;
  uint8_t arguments;  // in all, at most kMaxArguments
  uint16_t wide;      // bit i: argument i must be aligned to 8 bytes
};

inline constexpr uint32_t kMaxArguments = 16;

/// Written by runtime/firmware/generate.py. A program suits the table if its operators have these names in this order.
struct KernelTable {
  const char* names;  // "kindling::conv2d_s8" and so on, each with its terminating zero, one right after the other
  const Kernel* kernels;
  const Signature* signatures;
  uint32_t count;
};

}  // namespace kindling
