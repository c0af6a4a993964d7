// A model from C++: which class do these values belong to?

#include "runtime/examples/classify.h"

#include "runtime/error_text.h"
#include "runtime/firmware/model.h"

using kindling::Error, kindling::Model;

namespace {

int32_t failed(Error error) { return -static_cast<int32_t>(error); }  // error_text(error) says it in words

}  // namespace

int32_t classify(const int8_t* values, uint32_t count) {
  const Model& model = kindling::kFirmwareModel;  // of this firmware; the header that is made for a model has it as <name>::kModel
  static constinit bool is_ready = false;
  if (!is_ready) {
    if (Error error = model.init(); error != Error::Ok) return failed(error);
    is_ready = true;
  }
  if (count != model.inputs[0].bytes) return failed(Error::InvalidArgument);
  int8_t* input = static_cast<int8_t*>(model.input(0));
  for (uint32_t i = 0; i < count; ++i) input[i] = values[i];

  if (Error error = model.run(); error != Error::Ok) return failed(error);

  const int8_t* output = static_cast<const int8_t*>(model.output(0));
  uint32_t best = 0;
  for (uint32_t i = 1; i < model.outputs[0].bytes; ++i) {
    if (output[i] > output[best]) best = i;
  }
  return static_cast<int32_t>(best);
}
