#include <cstdio>

#include "runtime/firmware/services.h"

namespace kindling {
namespace {

std::FILE* stream(intptr_t handle) { return reinterpret_cast<std::FILE*>(handle); }

}  // namespace

File::File(const char* name, Mode mode) : handle_(reinterpret_cast<intptr_t>(std::fopen(name, mode == kRead ? "rb" : "wb"))) {}

File::~File() {
  if (is_open()) std::fclose(stream(handle_));
}

bool File::is_open() const { return handle_ != 0; }

uint32_t File::read(void* data, uint32_t bytes) {
  return static_cast<uint32_t>(std::fread(data, 1, bytes, stream(handle_)));
}

bool File::write(const void* data, uint32_t bytes) {
  return std::fwrite(data, 1, bytes, stream(handle_)) == bytes && std::fflush(stream(handle_)) == 0;
}

uint32_t stack_bytes_used() { return 0; }

}  // namespace kindling
