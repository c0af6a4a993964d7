// Main program of a firmware, or of a program for the host, that shows its work: the harness, with `steps.bin` beside its other files.
// It gets two little-endian u32 for each step that ran, its number and the bytes of its outputs, and then the outputs one after another.

#include "runtime/firmware/harness.h"
#include "runtime/firmware/observer.h"
#include "runtime/firmware/services.h"

namespace kindling {
namespace {

constinit File* steps = nullptr;
constinit bool written = true;

void write(const void* data, uint32_t bytes) { written = written && steps->write(data, bytes); }

}  // namespace

void step_begins(uint32_t) {}

void step_ended(uint32_t step) {
  uint32_t head[] = {step, 0};
  for (Span<const uint8_t> output : kStepOutputs[step]) head[1] += output.size;
  write(head, sizeof head);
  for (Span<const uint8_t> output : kStepOutputs[step]) write(output.data, output.size);
}

}  // namespace kindling

int main() {
  kindling::File file("steps.bin", kindling::File::kWrite);
  kindling::steps = &file;
  if (!file.is_open()) return 1;
  int code = kindling::run_harness(kindling::kFirmwareModel);
  return kindling::written ? code : 1;
}
