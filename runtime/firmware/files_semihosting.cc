// Arm's "Semihosting for AArch32 and AArch64", operations for files.
#include "runtime/firmware/files.h"

namespace kindling {
namespace {

enum Operation : uintptr_t { kOpen = 0x01, kClose = 0x02, kWrite = 0x05, kRead = 0x06 };

/// Asks the debugger or emulator; `block` holds the operation's parameters.
intptr_t ask_host(Operation operation, const uintptr_t* block) {
  register uintptr_t r0 asm("r0") = operation;
  register const uintptr_t* r1 asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return static_cast<intptr_t>(r0);
}

uintptr_t address(const void* data) { return reinterpret_cast<uintptr_t>(data); }

}  // namespace

File::File(const char* name, uint32_t name_bytes, Mode mode) {
  constexpr uintptr_t kReadBinary = 1, kWriteBinary = 5;  // fopen's "rb", "wb"
  const uintptr_t block[] = {address(name), mode == Mode::kRead ? kReadBinary : kWriteBinary, name_bytes};
  handle_ = ask_host(kOpen, block);
}

File::~File() {
  const uintptr_t block[] = {static_cast<uintptr_t>(handle_)};
  if (is_open()) ask_host(kClose, block);
}

bool File::is_open() const { return handle_ != -1; }

uint32_t File::read(void* data, uint32_t bytes) {
  const uintptr_t block[] = {static_cast<uintptr_t>(handle_), address(data), bytes};
  return bytes - static_cast<uint32_t>(ask_host(kRead, block));  // the answer is what is missing
}

bool File::write(const void* data, uint32_t bytes) {
  const uintptr_t block[] = {static_cast<uintptr_t>(handle_), address(data), bytes};
  return ask_host(kWrite, block) == 0;
}

}  // namespace kindling
