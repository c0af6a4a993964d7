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
  void* arguments[kMaxArguments];
  for (; next_ < instructions_.size; ++next_) {
    if (instructions-- == 0) return Error::Ok;
    Call call;
    if (Error error = read_call(reader, instructions_, next_, call); error != Error::Ok) return error;
    for (uint32_t i = 0; i < call.values.size - 1; ++i) arguments[i] = addresses_[call.values[i]];
    kernels_[call.kernel].run(arguments);
  }
  next_ = 0;
  return Error::EndOfMethod;
}

}  // namespace kindling
