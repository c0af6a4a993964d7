// SysTick as a clock of processor cycles, for firmware that does not use SysTick otherwise; every Cortex-M of ours has it.
//
// It counts 24 bits: between two readings, so in one step of the model, no more than 2^24 - 1 cycles may go by. Registers: Armv6-M
// Architecture Reference Manual, B3.3; the same in Armv7-M and Armv8-M.

#include "runtime/trace/clock.h"

namespace {

constexpr uint32_t kEnable = 1, kProcessorClock = 4;
constexpr uint32_t kMask = 0xFFFFFF;

volatile uint32_t& control() { return *reinterpret_cast<volatile uint32_t*>(0xE000E010); }
volatile uint32_t& reload() { return *reinterpret_cast<volatile uint32_t*>(0xE000E014); }
volatile uint32_t& current() { return *reinterpret_cast<volatile uint32_t*>(0xE000E018); }

constinit uint32_t ticks = 0;
constinit uint32_t last = 0;

}  // namespace

uint32_t kindling_clock() {
  if ((control() & kEnable) == 0) {
    reload() = kMask;
    current() = 0;  // whatever is written clears it
    control() = kEnable | kProcessorClock;
  }
  uint32_t now = current();
  ticks += (last - now) & kMask;  // it counts down
  last = now;
  return ticks;
}
