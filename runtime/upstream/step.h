// A piece of work that is ready to be done.
#pragma once

#include <cstdint>

namespace kindling::upstream {

/// Head of an operator's own struct, which holds all that its `run` needs.
struct Step {
  void (*run)(const Step& step);
  const Step* next;
  uint32_t instruction;
};

}  // namespace kindling::upstream
