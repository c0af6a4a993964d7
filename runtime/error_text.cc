#include "runtime/error_text.h"

namespace kindling {

const char* error_text(Error error) {
  switch (error) {  // No default: the compiler tells of an error without a text.
    case Error::Ok:
      return "no error";
    case Error::Internal:
      return "an error of the runtime itself";
    case Error::InvalidState:
      return "called out of order: the method is not initialised, or an input has no memory";
    case Error::EndOfMethod:
      return "the method is at its end";
    case Error::AlreadyLoaded:
      return "already loaded";
    case Error::NotSupported:
      return "the program needs what this runtime does not have: dynamic shapes, delegates, control flow or memory beyond 4 GiB";
    case Error::NotImplemented:
      return "not implemented";
    case Error::InvalidArgument:
      return "an instruction's tensors or parameters do not suit its kernel, or a size or alignment is not the one expected";
    case Error::InvalidType:
      return "an argument is not a tensor";
    case Error::OperatorMissing:
      return "the program's operators are not those that the firmware was built with";
    case Error::RegistrationExceedingMaxKernels:
      return "too many kernels";
    case Error::RegistrationAlreadyRegistered:
      return "a kernel is there twice";
    case Error::NotFound:
      return "no method of this name or number, or a file without checksums";
    case Error::MemoryAllocationFailed:
      return "no memory";
    case Error::AccessFailed:
      return "a file cannot be read or written";
    case Error::InvalidProgram:
      return "not a .pte file, or a damaged one";
    case Error::InvalidExternalData:
      return "external data are damaged";
    case Error::OutOfResources:
      return "the program needs more memory than the firmware has for it";
    case Error::DelegateInvalidCompatibility:
      return "a delegate does not fit this processor";
    case Error::DelegateMemoryAllocationFailed:
      return "no memory for a delegate";
    case Error::DelegateInvalidHandle:
      return "a delegate is not initialised";
  }
  return "an unknown error";
}

}  // namespace kindling
