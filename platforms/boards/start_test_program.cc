// What start_test.py runs: its input.bin holds one letter, which says what to do.

#include <cstdint>
#include <cstring>

#include "platforms/boards/semihosting.h"
#include "platforms/boards/stack.h"
#include "platforms/boards/unaligned.h"

extern "C" const unsigned char __stack_limit[], __stack_top[];

namespace {

using kindling::semihosting::Mode;
namespace semihosting = kindling::semihosting;

int initialised = 42;
int zeroed;
[[gnu::section(".state")]] uint32_t state[4];
[[gnu::section(".arena"), gnu::aligned(16)]] uint8_t arena[32 * 1024];
[[gnu::section(".model"), gnu::aligned(16), gnu::used]] extern const uint8_t model[8] = {1, 2, 3, 4, 5, 6, 7, 8};

// Through a volatile pointer, so that nothing of this is decided by the compiler.
template <typename T>
T* opaque(T* pointer) {
  T* volatile hidden = pointer;
  return hidden;
}

bool is_aligned(const void* pointer, uintptr_t bytes) { return reinterpret_cast<uintptr_t>(pointer) % bytes == 0; }

bool memory_is_ready() {
  const bool constants = *opaque(&initialised) == 42 && *opaque(&zeroed) == 0 && opaque(state)[3] == 0;
  opaque(arena)[sizeof arena - 1] = 17;
  return constants && opaque(arena)[sizeof arena - 1] == 17 && opaque(model)[7] == 8 && is_aligned(arena, 16) && is_aligned(model, 16);
}

bool computes_floats() {
  volatile float half = 0.5f;
  volatile double third = 1.0 / 3.0;
  return half * 3.0f == 1.5f && third * 3.0 == 1.0;
}

bool measures_stack() {
  const size_t size = static_cast<size_t>(__stack_top - __stack_limit);
  volatile uint8_t used[1024];
  const size_t before = kindling::stack_high_water();
  for (volatile uint8_t& byte : used) byte = 1;
  const size_t after = kindling::stack_high_water();
  return size == 8192 && before > 0 && after >= sizeof used && after >= before && after < size;
}

int read_unaligned() { return *reinterpret_cast<volatile int*>(opaque(arena) + 1); }

[[gnu::noinline]] int overflow_stack(int depth) {
  volatile uint8_t frame[256];
  frame[0] = static_cast<uint8_t>(depth);
  return (depth < 1000 ? overflow_stack(depth + 1) : 0) + frame[0];
}

/// libc copies the ends of odd pieces by whichever accesses the core allows.
bool copies_odd_pieces() {
  uint8_t source[23], target[23];
  for (uint8_t i = 0; i < sizeof source; ++i) source[i] = i;
  for (int bytes = 1; bytes < 20; ++bytes) {
    const auto* start = source + bytes % 4;
    std::memcpy(target + 1, opaque(start), bytes);
    if (std::memcmp(opaque(target) + 1, start, bytes) != 0) return false;
  }
  return true;
}

int check_all() {
  if (!memory_is_ready()) return 1;
  if (!computes_floats()) return 2;
  if (!measures_stack()) return 3;
  const int file = semihosting::open("output.bin", Mode::kWrite);
  if (file < 0 || !semihosting::write(file, model, sizeof model) || !semihosting::close(file)) return 4;
  return 0;
}

}  // namespace

int main() {
  if (!copies_odd_pieces()) return 97;
  kindling::trap_unaligned_accesses();
  char what = 0;
  const int file = semihosting::open("input.bin", Mode::kRead);
  if (file < 0 || semihosting::read(file, &what, 1) != 1 || semihosting::read(file, &what, 1) != 0) return 99;
  switch (what) {
    case 'c':
      return check_all();
    case 'u':
      return read_unaligned();
    case 'i':
      __builtin_trap();  // An instruction that no core has.
    case 's':
      return overflow_stack(0);
    default:
      return 98;
  }
}
