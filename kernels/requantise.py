"""From accumulators back to int8: fixed-point multipliers and the rounding that every tier reproduces.

A positive real factor is written multiplier * 2**(shift - 31) with multiplier in [2**30, 2**31), or 0 for a factor of 0.
Requantising an int32 accumulator is what TensorFlow Lite and CMSIS-NN (double rounding) do:

    x = (accumulator << max(shift, 0)) * multiplier, rounded half up at bit 31     (SQRDMULH)
    y = x / 2**max(-shift, 0), rounded half away from zero
"""

import math

import numpy as np

INT32_MAX = 2**31 - 1


def quantise_multiplier(real: float) -> tuple[int, int]:
    """The (multiplier, shift) nearest to `real` >= 0; (0, 0) below 2**-64, far below what moves any int32. Raises ValueError if negative or not finite."""
    if not math.isfinite(real) or real < 0:
        raise ValueError(f"a requantisation factor must be finite and not negative, not {real}")
    if real < 2.0**-64:
        return 0, 0
    mantissa, shift = math.frexp(real)
    multiplier = round(mantissa * 2**31)
    if multiplier == 2**31:
        return 2**30, shift + 1
    return multiplier, shift


def rounding_doubling_high_multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(a * b) / 2**31 rounded half up, int64 holding int32 values; saturates -2**31 * -2**31 as SQRDMULH does."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    return np.minimum((product + 2**30) >> 31, INT32_MAX)


def rounding_divide_by_power_of_two(x: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """x / 2**exponent rounded half away from zero; exponent >= 0."""
    x, exponent = np.asarray(x, np.int64), np.asarray(exponent, np.int64)
    half = (np.int64(1) << exponent) >> 1
    return np.where(x < 0, -((-x + half) >> exponent), (x + half) >> exponent)


def requantise(accumulator: np.ndarray, multiplier: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """int32 accumulators (any shape) times real factors that broadcast against them; int64 holding int32 values.

    Raises OverflowError where the accumulator does not fit int32 or a left shift loses bits: kernels wrap there.
    """
    accumulator, shift = np.asarray(accumulator, np.int64), np.asarray(shift, np.int64)
    shifted = accumulator << np.maximum(shift, 0)
    if shifted.size and (shifted.max() > INT32_MAX or shifted.min() < -INT32_MAX - 1):
        raise OverflowError("an accumulator does not fit int32")
    exponent = np.minimum(np.maximum(-shift, 0), 62)
    return rounding_divide_by_power_of_two(rounding_doubling_high_multiply(shifted, multiplier), exponent)
