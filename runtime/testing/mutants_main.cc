// A main program that makes its model ready from one damaged .pte after another, and runs it if that goes well.
//
// input.bin: u32 bytes of the .pte, the .pte; then for each mutant of it u32 bytes it has left, u32 number of changes, and the changes,
// each a u32: offset in the low 24 bits, the new byte in the others. Little-endian.
// output.bin: for each mutant u32 error and, if that is 0, the outputs of a run on zeros.

#include <cstring>

#include "platforms/boards/unaligned.h"
#include "runtime/firmware/model.h"
#include "runtime/firmware/services.h"

namespace kindling {
namespace {

constexpr uint32_t kMaxBytes = 64 * 1024;
constexpr uint32_t kMaxChanges = 64;

alignas(16) constinit uint8_t original[kMaxBytes] = {};
alignas(16) constinit uint8_t mutant[kMaxBytes] = {};
constinit uint32_t changes[kMaxChanges] = {};

bool read(File& file, void* data, uint32_t bytes) { return bytes == 0 || file.read(data, bytes) == bytes; }

Error run_on_zeros(const Model& model) {
  for (uint32_t i = 0; i < model.inputs.size; ++i) std::memset(model.input(i), 0, model.inputs[i].bytes);
  return model.run();
}

bool answer(const Model& model, Error error, File& answers) {
  if (error == Error::Ok) error = run_on_zeros(model);
  if (!answers.write(&error, sizeof error)) return false;
  for (uint32_t i = 0; error == Error::Ok && i < model.outputs.size; ++i) {
    if (!answers.write(model.output(i), model.outputs[i].bytes)) return false;
  }
  return error == Error::Ok || model.run() == Error::InvalidState;
}

int run_mutants(const Model& model) {
  File input("input.bin", File::kRead);
  File answers("output.bin", File::kWrite);
  uint32_t bytes;
  if (!input.is_open() || !answers.is_open() || !read(input, &bytes, sizeof bytes) || bytes > kMaxBytes) return 1;
  if (!read(input, original, bytes)) return 1;
  struct {
    uint32_t bytes;
    uint32_t changes;
  } head;
  while (read(input, &head, sizeof head)) {
    if (head.bytes > bytes || head.changes > kMaxChanges || !read(input, changes, head.changes * sizeof(uint32_t))) return 1;
    std::memcpy(mutant, original, sizeof mutant);
    for (uint32_t i = 0; i < head.changes; ++i) mutant[changes[i] & 0xFFFFFF] = static_cast<uint8_t>(changes[i] >> 24);
    if (!answer(model, model.init_from({mutant, head.bytes}), answers)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace kindling

int main() {
  kindling::trap_unaligned_accesses();
  return kindling::run_mutants(kindling::kFirmwareModel);
}
