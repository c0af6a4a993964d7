// Runs a model on sequences through the interface for programs in C: eight inputs of input.bin each, answers to output.bin.

#include "runtime/firmware/services.h"
#include "runtime/kindling.h"

int main() {
  using kindling::File;
  File inputs("input.bin", File::kRead);
  File answers("output.bin", File::kWrite);
  const kindling_model* model = kindling_firmware_model();
  if (!inputs.is_open() || !answers.is_open() || kindling_init(model) != 0) return 1;
  for (uint32_t run = 0;; ++run) {
    if (run % 8 == 0 && kindling_reset_state(model) != 0) return 1;
    const uint32_t bytes = kindling_input_info(model, 0).bytes;
    if (inputs.read(kindling_input(model, 0), bytes) != bytes) return 0;
    if (kindling_run(model) != 0) return 1;
    for (uint32_t i = 0; i < kindling_output_count(model); ++i) {
      if (!answers.write(kindling_output(model, i), kindling_output_info(model, i).bytes)) return 1;
    }
  }
}
