// The clock of a trace. Each firmware is linked with one: a library of this folder, or the board's own.
#pragma once

#include <cstdint>

/// Ticks of a clock that never stops, modulo 2^32. What a tick is, the reader of the trace is told.
extern "C" uint32_t kindling_clock();
