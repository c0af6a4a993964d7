/* The model of a firmware, for programs in C. runtime/examples/classify.c shows how it is used. */
#ifndef KINDLING_H
#define KINDLING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: all is well. Otherwise a kindling::Error of runtime/error.h, which has ExecuTorch's numbers. */
typedef uint32_t kindling_error;

/* What an error means, one line, never null. */
const char* kindling_error_text(kindling_error error);

/* A model with its memory, all of it laid out when the firmware was built. Not to be used by two threads at a time. */
typedef struct kindling_model kindling_model;

/* A tensor that goes into or out of a model. real = (q - zero_point) * scale; a scale of 0: not quantised. */
typedef struct {
  const char* name;
  const char* dtype; /* "int8", "float32" and so on */
  const uint32_t* shape;
  uint32_t rank;
  float scale;
  int32_t zero_point;
  uint32_t bytes;
} kindling_tensor;

/* The model that this firmware was built with. */
const kindling_model* kindling_firmware_model(void);

/* Makes the model ready to run. After an error it is not. */
kindling_error kindling_init(const kindling_model* model);

/* The same with another .pte for the same kernels and memory, which stays in its place, aligned to 16 bytes, as long as the model
 * is used. 0x10 (NotSupported): the model is built in as code. */
kindling_error kindling_init_from(const kindling_model* model, const void* pte, uint32_t bytes);

/* Computes the outputs from the inputs. 0x02 (InvalidState): the model is not ready. */
kindling_error kindling_run(const kindling_model* model);

/* Runs at most so many instructions. 0: there are more. 0x03 (EndOfMethod): the outputs are ready, and the next step starts over.
 * 0x10 (NotSupported): the model is built in as code. */
kindling_error kindling_step(const kindling_model* model, uint32_t instructions);

/* A new stream begins: what the model keeps from run to run is put back to where it starts, as kindling_init does too. 0 as well if it
 * keeps nothing. Otherwise the model is not ready. */
kindling_error kindling_reset_state(const kindling_model* model);

uint32_t kindling_input_count(const kindling_model* model);
uint32_t kindling_output_count(const kindling_model* model);

/* `i` is below their number. */
kindling_tensor kindling_input_info(const kindling_model* model, uint32_t i);
kindling_tensor kindling_output_info(const kindling_model* model, uint32_t i);

/* Where they lie, once the model is ready. A run uses up its inputs: they have to be written before every run. */
void* kindling_input(const kindling_model* model, uint32_t i);
void* kindling_output(const kindling_model* model, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
