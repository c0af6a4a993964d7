// Every operator of upstream's that there is here.
#pragma once

#include <cstdint>

#include "runtime/upstream/operator.h"

namespace kindling::upstream {

extern const Operator* const kAllOperators[];
extern const uint32_t kAllOperatorsCount;

}  // namespace kindling::upstream
