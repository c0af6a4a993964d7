// From reset to main, for every Cortex-M core: vector table, FPU and MVE, memory, stack paint; faults end the emulation with code 125.

#include <cstdint>

#include "platforms/boards/semihosting.h"
#include "platforms/boards/stack.h"

extern "C" {
extern uint32_t __stack_limit[], __stack_top[];
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

int main();
[[noreturn]] void kindling_reset();
[[noreturn]] void kindling_end_by_fault();
void kindling_fault();
}

namespace {

constexpr int kFaultExitCode = 125;

// Everything up to the FPU's being on must not touch its registers, which the compiler uses to copy things where it may.
__attribute__((target("general-regs-only"))) inline void configure_core() {
  [[maybe_unused]] constexpr uintptr_t kCcr = 0xE000ED14, kCpacr = 0xE000ED88;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  constexpr uint32_t kFullAccessToCp10AndCp11 = 0xFu << 20;
  *reinterpret_cast<volatile uint32_t*>(kCpacr) |= kFullAccessToCp10AndCp11;
#endif
#if defined(__ARM_FEATURE_MVE)
  constexpr uint32_t kLowOverheadBranches = 1u << 19;
  *reinterpret_cast<volatile uint32_t*>(kCcr) |= kLowOverheadBranches;
#endif
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}

}  // namespace

extern "C" __attribute__((target("general-regs-only"))) void kindling_reset() {
#if __ARM_ARCH >= 8
  __asm__ volatile("msr msplim, %0" ::"r"(__stack_limit));
#endif
  configure_core();
  uint32_t* here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  for (volatile uint32_t* word = __stack_limit; word < here; ++word) *word = kindling::kStackPaint;
  const volatile uint32_t* source = __data_load;
  for (volatile uint32_t* word = __data_start; word < __data_end; ++word) *word = *source++;
  for (volatile uint32_t* word = __bss_start; word < __bss_end; ++word) *word = 0;
  kindling::semihosting::exit(main());
}

extern "C" void kindling_end_by_fault() { kindling::semihosting::exit(kFaultExitCode); }

// With a fresh stack: it may be the old one's overflow that brought us here.
extern "C" [[gnu::naked]] void kindling_fault() {
  __asm__ volatile(
      "ldr r0, =__stack_top\n\t"
      "mov sp, r0\n\t"
      "ldr r0, =kindling_end_by_fault\n\t"
      "bx r0\n\t"
      ".ltorg");
}

// The architecture's sixteen entries. Kindling enables no interrupt; a firmware that does brings its own table.
extern "C" __attribute__((section(".vectors"), used)) const void* const kindling_vectors[16] = {
    __stack_top,
    reinterpret_cast<const void*>(kindling_reset),
    reinterpret_cast<const void*>(kindling_fault),  // NMI
    reinterpret_cast<const void*>(kindling_fault),  // HardFault
    reinterpret_cast<const void*>(kindling_fault),  // MemManage
    reinterpret_cast<const void*>(kindling_fault),  // BusFault
    reinterpret_cast<const void*>(kindling_fault),  // UsageFault
    reinterpret_cast<const void*>(kindling_fault),  // SecureFault
    nullptr,
    nullptr,
    nullptr,
    reinterpret_cast<const void*>(kindling_fault),  // SVCall
    reinterpret_cast<const void*>(kindling_fault),  // DebugMonitor
    nullptr,
    reinterpret_cast<const void*>(kindling_fault),  // PendSV
    reinterpret_cast<const void*>(kindling_fault),  // SysTick
};
