// What the harness asks of its surroundings: by semihosting on a core, of the operating system on the host.
#pragma once

#include <cstdint>

namespace kindling {

/// A file of the host, in the working directory.
class File {
 public:
  enum Mode { kRead, kWrite };  // kWrite makes the file, or empties it

  File(const char* name, Mode mode);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const;

  /// Bytes read: fewer than asked for at the end of the file.
  uint32_t read(void* data, uint32_t bytes);

  /// Whether all bytes were written.
  bool write(const void* data, uint32_t bytes);

 private:
  intptr_t handle_;
};

/// Bytes of stack used at most since start-up; 0 where nobody keeps watch.
uint32_t stack_bytes_used();

}  // namespace kindling
