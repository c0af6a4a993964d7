#include "runtime/instruction.h"
#include "runtime/method.h"

namespace kindling {

Error Method::run() {
  next_ = 0;
  Error error = step(UINT32_MAX);
  return error == Error::EndOfMethod ? Error::Ok : error;
}

Error Method::step(uint32_t instructions) {
  if (addresses_ == nullptr) return Error::InvalidState;
  FlatbufferReader<Verification::kNone> reader(flatbuffer_);  // init has checked all that is read here
  for (; next_ < instructions_.size; ++next_) {
    if (instructions-- == 0) return Error::Ok;
    if (Error error = call_kernel(reader, instructions_, next_, addresses_, kernels_); error != Error::Ok) return error;
  }
  next_ = 0;
  return Error::EndOfMethod;
}

}  // namespace kindling
