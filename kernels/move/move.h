// Kernels that move bytes and compute nothing; move.py says what each of them does. They serve elements of any size: a larger
// element is a run of bytes.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/move/params.h"

namespace kindling {

/// A block of the input, along any axes with any steps, fills the output.
void copy_s8(const std::int8_t* input, const CopyParams& params, std::int8_t* output);
Error check_copy_s8(const std::uint32_t* argument_bytes, const void* params);

/// The input fills a block of the output, and a value the rest. The output must not overlap the input.
void pad_s8(const std::int8_t* input, const PadParams& params, std::int8_t* output);
Error check_pad_s8(const std::uint32_t* argument_bytes, const void* params);

/// Pixels from anywhere in the input: output [rows][columns][run_bytes].
void take_s8(const std::int8_t* input, const TakeParams& params, std::int8_t* output);
Error check_take_s8(const std::uint32_t* argument_bytes, const void* params);

/// Inputs [outer][run k] side by side: output [outer][run 0 + run 1 + ...].
void concat_2_s8(const std::int8_t* a, const std::int8_t* b, const ConcatParams& params, std::int8_t* output);
void concat_3_s8(const std::int8_t* a, const std::int8_t* b, const std::int8_t* c, const ConcatParams& params, std::int8_t* output);
void concat_4_s8(const std::int8_t* a, const std::int8_t* b, const std::int8_t* c, const std::int8_t* d, const ConcatParams& params,
                 std::int8_t* output);
Error check_concat_2_s8(const std::uint32_t* argument_bytes, const void* params);
Error check_concat_3_s8(const std::uint32_t* argument_bytes, const void* params);
Error check_concat_4_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
