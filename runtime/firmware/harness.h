// The default main program of a firmware: a model fed from files of the host.
#pragma once

#include "runtime/firmware/model.h"

namespace kindling {

/// Reads inputs from `input.bin`, one after another, runs `model` on each, and writes the outputs to `output.bin`. At the end
/// writes `report.bin`, six little-endian u32: "KNDL", error (0: none), runs, and bytes of arena, state and stack used.
/// If KINDLING_SEQUENCE is defined as N where this is compiled, what the model keeps is put back to where it starts after each N runs.
/// Initialisation and runs lie between calls of kindling_mark_{init,run}_{begin,end}, so that an emulator can count them.
/// Returns main's exit code: 0 if the report could be written.
int run_harness(const Model& model);

}  // namespace kindling
