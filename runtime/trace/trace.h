// What an observed model did last: a ring of steps and when they ran, for whoever wants to know where the time goes.
#pragma once

#include <cstdint>

namespace kindling {

/// One step: an instruction of the .pte. Times are ticks of kindling_clock(); `start` may wrap.
struct TracedStep {
  uint32_t step;
  uint32_t start;
  uint32_t duration;
};

/// Filled while the model runs. Its bytes as they lie in RAM are what the host's tool reads, //runtime:trace: a debugger can save
/// them, or a main program send them.
struct Trace {
  static constexpr uint32_t kCapacity = 84;

  uint32_t recorded;  // steps since start-up, also those that have been written over
  uint32_t next;      // where the next one goes: once the ring is full, the oldest
  TracedStep steps[kCapacity];
};

static_assert(sizeof(Trace) <= 1024);

extern Trace trace;

}  // namespace kindling
