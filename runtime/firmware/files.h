// Files of the host, in its working directory: by semihosting from a core, by stdio on the host itself.
#pragma once

#include <cstdint>

namespace kindling {

class File {
 public:
  enum Mode { kRead, kWrite };  // kWrite makes the file, or empties it

  /// `name` is a literal.
  template <uint32_t kBytes>
  File(const char (&name)[kBytes], Mode mode) : File(name, kBytes - 1, mode) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const;

  /// Bytes read: fewer than asked for at the end of the file.
  uint32_t read(void* data, uint32_t bytes);

  /// Whether all bytes were written.
  bool write(const void* data, uint32_t bytes);

 private:
  File(const char* name, uint32_t name_bytes, Mode mode);

  intptr_t handle_;
};

}  // namespace kindling
