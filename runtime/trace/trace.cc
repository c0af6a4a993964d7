#include "runtime/trace/trace.h"

#include "runtime/firmware/observer.h"
#include "runtime/trace/clock.h"

namespace kindling {

constinit Trace trace = {};

void step_begins(uint32_t step) {
  TracedStep& traced = trace.steps[trace.next];
  traced.step = step;
  traced.start = kindling_clock();
}

void step_ended(uint32_t) {
  uint32_t now = kindling_clock();
  TracedStep& traced = trace.steps[trace.next];
  traced.duration = now - traced.start;
  ++trace.recorded;
  if (++trace.next == Trace::kCapacity) trace.next = 0;
}

}  // namespace kindling
