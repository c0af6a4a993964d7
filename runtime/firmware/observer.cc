#include "runtime/firmware/observer.h"

// Different bodies, or the compiler would make them one function.
extern "C" {
[[gnu::noinline]] void kindling_mark_step_begin() { asm volatile("" ::"i"(0)); }
[[gnu::noinline]] void kindling_mark_step_end() { asm volatile("" ::"i"(1)); }
}
