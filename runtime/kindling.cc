#include "runtime/kindling.h"

#include "runtime/error_text.h"
#include "runtime/firmware/model.h"

namespace kindling {
namespace {

const Model& of(const kindling_model* model) { return *reinterpret_cast<const Model*>(model); }

kindling_error code(Error error) { return static_cast<kindling_error>(error); }

kindling_tensor described(const TensorInfo& tensor) {
  return {tensor.name, tensor.dtype, tensor.shape.data, tensor.shape.size, tensor.scale, tensor.zero_point, tensor.bytes};
}

}  // namespace
}  // namespace kindling

using kindling::of, kindling::code, kindling::described, kindling::Error;

const char* kindling_error_text(kindling_error error) { return kindling::error_text(static_cast<Error>(error)); }

const kindling_model* kindling_firmware_model(void) {
  return reinterpret_cast<const kindling_model*>(&kindling::kFirmwareModel);
}

kindling_error kindling_init(const kindling_model* model) { return code(of(model).init()); }

kindling_error kindling_init_from(const kindling_model* model, const void* pte, uint32_t bytes) {
  if (of(model).init_from == nullptr) return code(Error::NotSupported);
  return code(of(model).init_from({static_cast<const uint8_t*>(pte), bytes}));
}

kindling_error kindling_run(const kindling_model* model) { return code(of(model).run()); }

kindling_error kindling_step(const kindling_model* model, uint32_t instructions) {
  if (of(model).step == nullptr) return code(Error::NotSupported);
  return code(of(model).step(instructions));
}

kindling_error kindling_reset_state(const kindling_model* model) {
  return of(model).reset_state == nullptr ? 0 : code(of(model).reset_state());
}

uint32_t kindling_input_count(const kindling_model* model) { return of(model).inputs.size; }

uint32_t kindling_output_count(const kindling_model* model) { return of(model).outputs.size; }

kindling_tensor kindling_input_info(const kindling_model* model, uint32_t i) { return described(of(model).inputs[i]); }

kindling_tensor kindling_output_info(const kindling_model* model, uint32_t i) { return described(of(model).outputs[i]); }

void* kindling_input(const kindling_model* model, uint32_t i) { return of(model).input(i); }

void* kindling_output(const kindling_model* model, uint32_t i) { return of(model).output(i); }
