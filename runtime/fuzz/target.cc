// What libFuzzer tries: any bytes as the .pte of a model, made ready and run.

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/firmware/model.h"

namespace kindling {
namespace {

/// The bytes, aligned as a .pte must be, in memory that ends where they do.
class Copy {
 public:
  Copy(const uint8_t* data, size_t bytes) : bytes_(static_cast<uint32_t>(bytes)) {
    void* memory;
    if (posix_memalign(&memory, 16, bytes) != 0) std::abort();
    data_ = static_cast<uint8_t*>(memory);
    if (bytes != 0) std::memcpy(data_, data, bytes);
  }
  ~Copy() { std::free(data_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  Span<const uint8_t> span() const { return {data_, bytes_}; }

 private:
  uint8_t* data_;
  uint32_t bytes_;
};

void must(bool holds) {
  if (!holds) std::abort();
}

void try_file(const Model& model, Span<const uint8_t> file) {
  if (model.init_from(file) != Error::Ok) {
    must(model.run() == Error::InvalidState);
    return;
  }
  for (uint32_t i = 0; i < model.inputs.size; ++i) {
    uint8_t* input = static_cast<uint8_t*>(model.input(i));
    for (uint32_t k = 0; k < model.inputs[i].bytes; ++k) input[k] = static_cast<uint8_t>(k * 37);
  }
  must(model.run() == Error::Ok);
}

}  // namespace
}  // namespace kindling

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  kindling::try_file(kindling::kFirmwareModel, kindling::Copy(data, bytes).span());
  return 0;
}
