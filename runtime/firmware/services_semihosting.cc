#include "platforms/boards/semihosting.h"
#include "platforms/boards/stack.h"
#include "runtime/firmware/services.h"

namespace kindling {

File::File(const char* name, Mode mode)
    : handle_(semihosting::open(name, mode == kRead ? semihosting::Mode::kRead : semihosting::Mode::kWrite)) {}

File::~File() {
  if (is_open()) semihosting::close(handle_);
}

bool File::is_open() const { return handle_ >= 0; }

uint32_t File::read(void* data, uint32_t bytes) { return semihosting::read(handle_, data, bytes); }

bool File::write(const void* data, uint32_t bytes) { return semihosting::write(handle_, data, bytes); }

uint32_t stack_bytes_used() { return stack_high_water(); }

}  // namespace kindling
