// What can go wrong, with ExecuTorch's numbers, so that its tools and documentation explain ours.
#pragma once

#include <cstdint>

namespace kindling {

enum class Error : uint32_t {
  kOk = 0x00,
  // The caller's or the system's fault.
  kInternal = 0x01,
  kInvalidState = 0x02,  // called out of order, e.g. run before a successful init
  kEndOfMethod = 0x03,   // a step past the last instruction
  kAlreadyLoaded = 0x04,
  // What was asked for is not possible.
  kNotSupported = 0x10,     // a feature of the format that this runtime does not have
  kNotImplemented = 0x11,
  kInvalidArgument = 0x12,  // an operator's arguments do not suit its kernel; a bad argument from the caller
  kInvalidType = 0x13,
  kOperatorMissing = 0x14,  // the program's operators are not those the kernel table was made for
  kRegistrationExceedingMaxKernels = 0x15,
  kRegistrationAlreadyRegistered = 0x16,
  // A resource is not there, too small or broken.
  kNotFound = 0x20,  // no such method
  kMemoryAllocationFailed = 0x21,
  kAccessFailed = 0x22,
  kInvalidProgram = 0x23,  // not a .pte, or damaged
  kInvalidExternalData = 0x24,
  kOutOfResources = 0x25,  // arena or state smaller than the program needs
  // A delegate's fault.
  kDelegateInvalidCompatibility = 0x30,
  kDelegateMemoryAllocationFailed = 0x31,
  kDelegateInvalidHandle = 0x32,
};

}  // namespace kindling
