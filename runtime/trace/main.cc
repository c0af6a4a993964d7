// The default main program of a traced firmware: the harness, which then leaves the trace in `trace.bin`.

#include "runtime/firmware/harness.h"
#include "runtime/firmware/services.h"
#include "runtime/trace/trace.h"

int main() {
  int code = kindling::run_harness(kindling::kFirmwareModel);
  kindling::File file("trace.bin", kindling::File::kWrite);
  return file.is_open() && file.write(&kindling::trace, sizeof kindling::trace) ? code : 1;
}
