// The cycle counter of the DWT, 32 bits, as a clock. M3 and larger have it, most of them; M0, M0+ and M23 do not, nor does QEMU count
// with it. Registers: Armv7-M Architecture Reference Manual, C1.6.5 and C1.8; the same in Armv8-M.

#include "runtime/trace/clock.h"

namespace {

constexpr uint32_t kTraceEnable = 1u << 24, kCycleCountEnable = 1;

volatile uint32_t& debug_control() { return *reinterpret_cast<volatile uint32_t*>(0xE000EDFC); }
volatile uint32_t& dwt_control() { return *reinterpret_cast<volatile uint32_t*>(0xE0001000); }
volatile uint32_t& cycles() { return *reinterpret_cast<volatile uint32_t*>(0xE0001004); }

}  // namespace

uint32_t kindling_clock() {
  if ((dwt_control() & kCycleCountEnable) == 0) {
    debug_control() = debug_control() | kTraceEnable;
    cycles() = 0;
    dwt_control() = dwt_control() | kCycleCountEnable;
  }
  return cycles();
}
