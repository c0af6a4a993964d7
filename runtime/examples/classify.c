/* A model from C: which class do these values belong to? */

#include "runtime/examples/classify.h"

#include "runtime/kindling.h"

static int32_t largest(const int8_t* values, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; ++i) {
    if (values[i] > values[best]) best = i;
  }
  return (int32_t)best;
}

int32_t classify(const int8_t* values, uint32_t count) {
  const kindling_model* model = kindling_firmware_model();
  static kindling_error error = UINT32_MAX; /* of the initialisation, once it was done */
  if (error == UINT32_MAX) error = kindling_init(model);
  if (error != 0) return -(int32_t)error; /* kindling_error_text(error) says it in words */

  if (count != kindling_input_info(model, 0).bytes) return -1;
  int8_t* input = kindling_input(model, 0);
  for (uint32_t i = 0; i < count; ++i) input[i] = values[i];

  error = kindling_step(model, 2); /* a little at a time, so that a watchdog can be fed between */
  while (error == 0) error = kindling_step(model, 2);
  if (error == 0x10) error = kindling_run(model); /* built in as code, it runs in one go */
  if (error != 0 && error != 0x03) return -(int32_t)error;
  error = 0;
  return largest(kindling_output(model, 0), kindling_output_info(model, 0).bytes);
}
