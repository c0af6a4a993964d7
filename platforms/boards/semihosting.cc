#include "platforms/boards/semihosting.h"

namespace kindling::semihosting {
namespace {

enum class Operation : uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kPrint = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kExit = 0x20,  // The extended form, which takes an exit code on 32-bit cores too.
};

constexpr uint32_t kApplicationExit = 0x20026;

uint32_t word(const void* pointer) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer)); }

int call(Operation operation, const void* arguments) {
  register uint32_t r0 __asm__("r0") = static_cast<uint32_t>(operation);
  register const void* r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return static_cast<int>(r0);
}

size_t length(const char* text) {
  size_t count = 0;
  while (text[count] != '\0') ++count;
  return count;
}

}  // namespace

int open(const char* path, Mode mode) {
  const uint32_t arguments[] = {word(path), static_cast<uint32_t>(mode), length(path)};
  return call(Operation::kOpen, arguments);
}

size_t read(int file, void* data, size_t size) {
  const uint32_t arguments[] = {static_cast<uint32_t>(file), word(data), size};
  return size - static_cast<size_t>(call(Operation::kRead, arguments));
}

bool write(int file, const void* data, size_t size) {
  const uint32_t arguments[] = {static_cast<uint32_t>(file), word(data), size};
  return call(Operation::kWrite, arguments) == 0;
}

bool close(int file) {
  const uint32_t arguments[] = {static_cast<uint32_t>(file)};
  return call(Operation::kClose, arguments) == 0;
}

void print(const char* text) { call(Operation::kPrint, text); }

void exit(int code) {
  const uint32_t arguments[] = {kApplicationExit, static_cast<uint32_t>(code)};
  call(Operation::kExit, arguments);
  while (true) __asm__ volatile("wfi");
}

}  // namespace kindling::semihosting
