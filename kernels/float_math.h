// Functions of a float whose results have the same bits on every core and the host, with or without a floating-point unit: sums,
// products and quotients that IEEE 754 rounds, in this order, and nothing of a mathematical library. Their sources must be compiled
// without contraction to fused operations and without vectorising, for MVE flushes denormal numbers (float_srcs in defs.bzl).
//
// kernels/float_math.py computes the same in NumPy, says how far each is off, and has the origin of the coefficients. What is not a
// number stays so, but may change its bits.
#pragma once

#include <cstdint>

namespace kindling {

constexpr float kInfinity = __builtin_inff();
constexpr float kNotANumber = __builtin_nanf("");

inline std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
inline float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

inline float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffff); }
inline float with_sign_of(float x, float size) { return float_of(bits_of(size) | (bits_of(x) & 0x80000000)); }

/// Between the bounds; what is not a number stays so.
inline float clamped(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

/// The lesser and the greater of two; not a number if either is none.
inline float lesser(float a, float b) { return a < b || a != a ? a : b; }
inline float greater(float a, float b) { return a > b || a != a ? a : b; }

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
inline float exponential_tail(float r) {
  float tail = 0.00019845921f;
  tail = tail * r + 0.0013941191f;
  tail = tail * r + 0.008333391f;
  tail = tail * r + 0.041666355f;
  tail = tail * r + 0.16666666f;
  return tail * r + 0.5f;
}

constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // the first has nine bits: its products here are exact

/// e^x.
inline float exponential(float x) {
  if (!(x > -103.97208f)) return x != x ? x : 0.0f;
  if (x > 88.72284f) return kInfinity;
  constexpr float kToInteger = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to an integer, in the low bits
  const float shifted = x * 1.44269504f + kToInteger;
  const std::int32_t power = static_cast<std::int32_t>(bits_of(shifted)) - 0x4b400000;
  const float steps = shifted - kToInteger;
  const float r = (x - steps * kLn2High) - steps * kLn2Low;
  const float result = 1.0f + (r + r * r * exponential_tail(r));
  const std::int32_t half = power >> 1;  // 2^power itself need not be a float
  const auto power_of_two = [](std::int32_t n) { return float_of(static_cast<std::uint32_t>(n + 127) << 23); };
  return result * power_of_two(half) * power_of_two(power - half);
}

/// e^x - 1.
inline float exponential_less_one(float x) {
  if (magnitude(x) < 0.34657359f) return x + x * x * exponential_tail(x);
  return exponential(x) - 1.0f;
}

/// ln(1 + f) + exponent * ln(2) for 1 + f in [sqrt(1/2), sqrt(2)).
inline float logarithm_of(float f, float exponent) {
  float tail = 0.06746601f;
  tail = tail * f + -0.11675641f;
  tail = tail * f + 0.11888175f;
  tail = tail * f + -0.124055915f;
  tail = tail * f + 0.14219551f;
  tail = tail * f + -0.16667996f;
  tail = tail * f + 0.20002119f;
  tail = tail * f + -0.2500001f;
  tail = tail * f + 0.33333313f;
  const float square = f * f;
  const float small = f * square * tail + exponent * kLn2Low - 0.5f * square;
  return (f + small) + exponent * kLn2High;
}

/// ln(x).
inline float logarithm(float x) {
  if (!(x > 0.0f)) return x == 0.0f ? -kInfinity : kNotANumber;
  if (x == kInfinity) return x;
  std::int32_t exponent = 0;
  if (x < 1.17549435e-38f) x *= 8388608.0f, exponent = -23;
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3;
  const std::uint32_t above = bits_of(x) - kRootOfHalf;
  exponent += static_cast<std::int32_t>(above) >> 23;
  return logarithm_of(float_of((above & 0x7fffff) + kRootOfHalf) - 1.0f, static_cast<float>(exponent));
}

/// ln(1 + x).
inline float logarithm_of_one_more(float x) {
  if (x > -0.29f && x < 0.41f) return logarithm_of(x, 0.0f);
  return logarithm(1.0f + x);
}

/// The square root, rounded to the nearest float.
inline float square_root(float x) {
  if (!(x >= 0.0f)) return kNotANumber;
#if defined(__ARM_FP) || defined(__SSE2__)
  return __builtin_sqrtf(x);
#else
  if (x == 0.0f || x == kInfinity) return x;
  std::int32_t exponent = 0;
  if (x < 1.17549435e-38f) x *= 16777216.0f, exponent = -12;
  const std::uint32_t bits = bits_of(x);
  const std::int32_t doubled = static_cast<std::int32_t>(bits >> 23) - 127;
  // Digit by digit: root holds twice the digits found so far, of a root between 1 and 2 with 24 digits behind the point.
  std::uint32_t left = ((bits & 0x7fffff) | 0x800000) << (1 + (doubled & 1)), root = 0, digits = 0;
  for (std::uint32_t digit = 1u << 24; digit != 0; digit >>= 1) {
    const std::uint32_t subtracted = root + digit;
    if (subtracted <= left) left -= subtracted, root = subtracted + digit, digits += digit;
    left <<= 1;
  }
  digits += digits & 1;  // the last of its 25 digits rounds; no root lies halfway
  exponent += (doubled >> 1) + 127;
  return float_of((digits >> 1) + (static_cast<std::uint32_t>(exponent - 1) << 23));
#endif
}

inline float hyperbolic_tangent(float x) {
  const float size = magnitude(x);
  if (size < 0.625f) {
    const float square = x * x;
    float tail = -0.0057049785f;
    tail = tail * square + 0.020639079f;
    tail = tail * square + -0.05373971f;
    tail = tail * square + 0.13331442f;
    tail = tail * square + -0.3333328f;
    return x + x * square * tail;
  }
  return with_sign_of(x, size > 9.1f ? 1.0f : 1.0f - 2.0f / (exponential(2.0f * size) + 1.0f));
}

inline float sigmoid(float x) {
  const float smaller = exponential(-magnitude(x));
  return (x < 0.0f ? smaller : 1.0f) / (1.0f + smaller);
}

inline float error_function(float x) {
  const float size = magnitude(x);
  if (size < 1.0f) {
    const float square = x * x;
    float tail = 7.853858e-05f;
    tail = tail * square + -0.00080101925f;
    tail = tail * square + 0.0051883277f;
    tail = tail * square + -0.026853811f;
    tail = tail * square + 0.112835854f;
    tail = tail * square + -0.37612626f;
    tail = tail * square + 0.12837917f;
    return x + x * tail;
  }
  if (size > 4.0f) return with_sign_of(x, 1.0f);
  float rest = -2.168685e-05f;  // ln(1 - erf(size))
  rest = rest * size + 0.00044133636f;
  rest = rest * size + -0.004204562f;
  rest = rest * size + 0.025208257f;
  rest = rest * size + -0.10841858f;
  rest = rest * size + -0.6332199f;
  rest = rest * size + -1.1295785f;
  rest = rest * size + 0.00018804023f;
  return with_sign_of(x, 1.0f - exponential(rest));
}

}  // namespace kindling
