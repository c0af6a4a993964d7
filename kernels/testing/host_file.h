// A file of the host, in its working directory: by semihosting from an emulated core, by stdio on the host itself.
#pragma once

#include <cstdint>

#if defined(__arm__)
#include "platforms/boards/semihosting.h"
#else
#include <cstdio>
#endif

namespace kindling {

class HostFile {
 public:
  enum Mode { kRead, kWrite };

#if defined(__arm__)
  HostFile(const char* name, Mode mode)
      : file_(semihosting::open(name, mode == kRead ? semihosting::Mode::kRead : semihosting::Mode::kWrite)) {}
  ~HostFile() { semihosting::close(file_); }

  bool is_open() const { return file_ >= 0; }
  std::uint32_t read(void* data, std::uint32_t bytes) { return semihosting::read(file_, data, bytes); }
  bool write(const void* data, std::uint32_t bytes) { return semihosting::write(file_, data, bytes); }

 private:
  int file_;
#else
  HostFile(const char* name, Mode mode) : file_(std::fopen(name, mode == kRead ? "rb" : "wb")) {}
  ~HostFile() { std::fclose(file_); }

  bool is_open() const { return file_ != nullptr; }
  std::uint32_t read(void* data, std::uint32_t bytes) { return static_cast<std::uint32_t>(std::fread(data, 1, bytes, file_)); }
  bool write(const void* data, std::uint32_t bytes) { return std::fwrite(data, 1, bytes, file_) == bytes; }

 private:
  std::FILE* file_;
#endif

 public:
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;
};

}  // namespace kindling
