// Tries an example on the inputs in input.bin, and writes the classes to output.bin, as i32.

#include "runtime/examples/classify.h"
#include "runtime/firmware/model.h"
#include "runtime/firmware/services.h"

int main() {
  using kindling::File;
  File inputs("input.bin", File::kRead);
  File classes("output.bin", File::kWrite);
  static constinit int8_t values[4096] = {};
  const uint32_t bytes = kindling::kFirmwareModel.inputs[0].bytes;
  if (!inputs.is_open() || !classes.is_open() || bytes > sizeof values) return 1;
  while (inputs.read(values, bytes) == bytes) {
    const int32_t found = classify(values, bytes);
    if (!classes.write(&found, sizeof found)) return 1;
  }
  return classify(values, bytes - 1) < 0 ? 0 : 1;  // an input cut short is refused
}
