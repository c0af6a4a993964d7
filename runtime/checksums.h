// Finds out whether a .pte is, bit for bit, what the compiler wrote.
//
// The compiler puts checksums behind the flatbuffer, where ExecuTorch has padding: u32 magic "KCRC", u32 their number, the CRC-32 of
// the flatbuffer, then that of each segment together with the padding before it. Every bit of the file is in one of them.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/span.h"

namespace kindling {

/// CRC-32 as in IEEE 802.3 and zlib: polynomial 0x04C11DB7 reflected, complemented before and after. About 9 instructions a byte.
uint32_t crc32(Span<const uint8_t> data);

/// Compares `file`, a whole .pte aligned to 16 bytes, with its checksums. Nothing of it is used before it has been compared.
/// NotFound: it has none. InvalidProgram: it is damaged, or no .pte. InvalidArgument: it is misaligned.
Error check_checksums(Span<const uint8_t> file);

}  // namespace kindling
