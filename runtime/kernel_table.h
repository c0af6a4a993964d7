// The kernels of one firmware, in the order in which its programs number their operators.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace kindling {

/// What an instruction must look like to suit a kernel. Its tensors are `inputs`, the params constant, then those that the kernel
/// writes.
struct Signature {
  uint8_t name_bytes;  // of the operator
  uint8_t inputs;
  uint8_t arguments;  // in all, at most kMaxArguments
  uint16_t aligned;   // bit i: argument i must be aligned to 8 bytes, or 16 if it is a constant
};

inline constexpr uint32_t kMaxArguments = 16;

/// Written by runtime/firmware/generate.py. A program suits the table if its operators have these names in this order.
struct KernelTable {
  const char* names;  // "kindling::conv2d_s8" and so on; each starts at a multiple of 4 bytes and ends in a zero
  const Kernel* kernels;
  const Signature* signatures;
  uint32_t count;
};

}  // namespace kindling
