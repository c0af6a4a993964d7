// How much of a program is checked before it is trusted.
#pragma once

namespace kindling {

/// kNone: nothing; the program must be what the compiler wrote. The checks take no code.
/// kStructure: everything the runtime and the kernels will touch: header, offsets, indices, sizes and alignments, each tensor
/// inside its region or segment, each operator's arguments (number, types, ranks where they matter, sizes, params), types and shapes of
/// inputs and outputs. After a load at this level, running the program reads and
/// writes nothing outside the file, the regions and the state, whatever bytes the file held.
/// kFull: also what the runtime leaves alone: the whole flatbuffer with all its tables, every segment inside the file, every tensor
/// inside its region or segment though nothing uses it, its sizes and the order of its dimensions.
enum class Verification { kNone, kStructure, kFull };

}  // namespace kindling
