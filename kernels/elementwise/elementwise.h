// Operators of two int8 tensors, element by element, which broadcast against each other as in NumPy; the arithmetic is in add.py,
// mul.py, div.py and extremes.py, the order of elements in broadcast.py.
//
// The output may be an input of its own size, or start anywhere before it. It must be apart from an input that is smaller.
#pragma once

#include <cstdint>

#include "kernels/elementwise/params.h"
#include "kernels/kernel.h"

namespace kindling {

/// Sum, or difference, of tensors with scales of their own.
void add_s8(const std::int8_t* a, const std::int8_t* b, const AddParams& params, std::int8_t* output);
Error check_add_s8(const std::uint32_t* argument_bytes, const void* params);

/// Product.
void mul_s8(const std::int8_t* a, const std::int8_t* b, const MulParams& params, std::int8_t* output);
Error check_mul_s8(const std::uint32_t* argument_bytes, const void* params);

/// Quotient.
void div_s8(const std::int8_t* a, const std::int8_t* b, const DivParams& params, std::int8_t* output);
Error check_div_s8(const std::uint32_t* argument_bytes, const void* params);

/// The lesser, the greater of tensors in one scale.
void minimum_s8(const std::int8_t* a, const std::int8_t* b, const ExtremeParams& params, std::int8_t* output);
Error check_minimum_s8(const std::uint32_t* argument_bytes, const void* params);
void maximum_s8(const std::int8_t* a, const std::int8_t* b, const ExtremeParams& params, std::int8_t* output);
Error check_maximum_s8(const std::uint32_t* argument_bytes, const void* params);

}  // namespace kindling
