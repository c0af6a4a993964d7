// Calls to the debugger or emulator that the core runs under (Arm, "Semihosting for AArch32 and AArch64"): its files, and the exit code.
// A core that runs alone faults at the first of them.

#pragma once

#include <cstddef>
#include <cstdint>

namespace kindling::semihosting {

enum class Mode : uint32_t { kRead = 1, kWrite = 5, kAppend = 9 };  // Of C's fopen: "rb", "wb", "ab".

// A handle of the host's file, relative to the emulator's folder; negative if it cannot be opened.
int open(const char* path, Mode mode);

// Reads at most `size` bytes and returns how many there were: fewer than `size` only at the end of the file.
size_t read(int file, void* data, size_t size);

// Whether all bytes were written.
bool write(int file, const void* data, size_t size);

// Whether the file was closed without an error.
bool close(int file);

// Text, ended by a zero, for the emulator's console.
void print(const char* text);

// Ends the emulation with this exit code (0 to 255).
[[noreturn]] void exit(int code);

}  // namespace kindling::semihosting
