// What can go wrong, with ExecuTorch's numbers, so that its tools and documentation explain ours.
#pragma once

#include <cstdint>

namespace kindling {

enum class Error : uint32_t {
  Ok = 0x00,
  // The caller's or the system's fault.
  Internal = 0x01,
  InvalidState = 0x02,  // called out of order, e.g. run before a successful init
  EndOfMethod = 0x03,   // a step past the last instruction
  AlreadyLoaded = 0x04,
  // What was asked for is not possible.
  NotSupported = 0x10,     // a feature of the format that this runtime does not have
  NotImplemented = 0x11,
  InvalidArgument = 0x12,  // an operator's arguments do not suit its kernel; a bad argument from the caller
  InvalidType = 0x13,
  OperatorMissing = 0x14,  // the program's operators are not those the kernel table was made for
  RegistrationExceedingMaxKernels = 0x15,
  RegistrationAlreadyRegistered = 0x16,
  // A resource is not there, too small or broken.
  NotFound = 0x20,  // no such method
  MemoryAllocationFailed = 0x21,
  AccessFailed = 0x22,
  InvalidProgram = 0x23,  // not a .pte, or damaged
  InvalidExternalData = 0x24,
  OutOfResources = 0x25,  // arena or state smaller than the program needs
  // A delegate's fault.
  DelegateInvalidCompatibility = 0x30,
  DelegateMemoryAllocationFailed = 0x31,
  DelegateInvalidHandle = 0x32,
};

}  // namespace kindling
