"""Functions of float32 with the bits that kernels compute (float_math.h): the same operations of NumPy in the same order.

How far results are off, in units in the last place (ULP) of the exact result; float_math_test.py holds them to it:

    exponential 1      logarithm 1      square_root 1/2 (the nearest)   hyperbolic_tangent 2
    exponential_less_one 3   logarithm_of_one_more 3   sigmoid 3        error_function 2

Coefficients: polynomials of the form each function's comment in float_math.h gives, fitted so that the largest relative error of
the function is least (Lawson's weighted least squares at Chebyshev's points), below 4e-9 before they are rounded to float32.
Reduction of arguments: Cody and Waite, Software Manual for the Elementary Functions, 1980.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

_F = np.float32
LN2_HIGH, LN2_LOW = _F(0.693359375), _F(-2.12194440e-4)

_EXPONENTIAL = (0.00019845921, 0.0013941191, 0.008333391, 0.041666355, 0.16666666, 0.5)
_LOGARITHM = (
    0.06746601,
    -0.11675641,
    0.11888175,
    -0.124055915,
    0.14219551,
    -0.16667996,
    0.20002119,
    -0.2500001,
    0.33333313,
)
_TANGENT = (-0.0057049785, 0.020639079, -0.05373971, 0.13331442, -0.3333328)
_ERROR = (7.853858e-05, -0.00080101925, 0.0051883277, -0.026853811, 0.112835854, -0.37612626, 0.12837917)
_ERROR_REST = (
    -2.168685e-05,
    0.00044133636,
    -0.004204562,
    0.025208257,
    -0.10841858,
    -0.6332199,
    -1.1295785,
    0.00018804023,
)


def float_function(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """A function of float32 arrays in which overflow, division by zero and what is not a number are results, no warnings."""

    @functools.wraps(function)
    def quiet(*arguments: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return function(*(np.asarray(argument, _F) for argument in arguments))

    return quiet


def _polynomial(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    """Horner's scheme, the highest power first."""
    result = np.full(x.shape, coefficients[0], _F)
    for coefficient in coefficients[1:]:
        result = result * x + _F(coefficient)
    return result


def _power_of_two(n: np.ndarray) -> np.ndarray:
    return ((n + 127).astype(np.uint32) << np.uint32(23)).view(_F)


@float_function
def clamped(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    x = np.where(x < low, low, x)
    return np.where(x > high, high, x)


@float_function
def lesser(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where((a < b) | (a != a), a, b)


@float_function
def greater(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where((a > b) | (a != a), a, b)


@float_function
def exponential(x: np.ndarray) -> np.ndarray:
    """e^x."""
    inside = np.where((x > _F(-103.97208)) & (x <= _F(88.72284)), x, _F(0))
    shifted = inside * _F(1.44269504) + _F(12582912.0)
    power = shifted.view(np.int32) - np.int32(0x4B400000)
    steps = shifted - _F(12582912.0)
    r = (inside - steps * LN2_HIGH) - steps * LN2_LOW
    result = _F(1) + (r + r * r * _polynomial(_EXPONENTIAL, r))
    half = power >> 1
    result = result * _power_of_two(half) * _power_of_two(power - half)
    result = np.where(x > _F(88.72284), _F(np.inf), np.where(x <= _F(-103.97208), _F(0), result))
    return np.where(x != x, x, result)


@float_function
def exponential_less_one(x: np.ndarray) -> np.ndarray:
    """e^x - 1."""
    return np.where(np.abs(x) < _F(0.34657359), x + x * x * _polynomial(_EXPONENTIAL, x), exponential(x) - _F(1))


def _logarithm_of(f: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    square = f * f
    small = f * square * _polynomial(_LOGARITHM, f) + exponent * LN2_LOW - _F(0.5) * square
    return (f + small) + exponent * LN2_HIGH


@float_function
def logarithm(x: np.ndarray) -> np.ndarray:
    """ln(x)."""
    tiny = x < _F(1.17549435e-38)
    above = np.where(tiny, x * _F(8388608.0), x).view(np.uint32) - np.uint32(0x3F3504F3)
    exponent = (above.view(np.int32) >> 23) + np.where(tiny, np.int32(-23), np.int32(0))
    f = ((above & np.uint32(0x7FFFFF)) + np.uint32(0x3F3504F3)).view(_F) - _F(1)
    result = np.where(x == _F(np.inf), x, _logarithm_of(f, exponent.astype(_F)))
    return np.where(x > 0, result, np.where(x == 0, _F(-np.inf), _F(np.nan)))


@float_function
def logarithm_of_one_more(x: np.ndarray) -> np.ndarray:
    """ln(1 + x)."""
    near = (x > _F(-0.29)) & (x < _F(0.41))
    return np.where(near, _logarithm_of(np.where(near, x, _F(0)), np.zeros_like(x)), logarithm(_F(1) + x))


@float_function
def square_root(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 0, np.sqrt(np.where(x >= 0, x, _F(0))), _F(np.nan))


@float_function
def hyperbolic_tangent(x: np.ndarray) -> np.ndarray:
    size, square = np.abs(x), x * x
    small = x + x * square * _polynomial(_TANGENT, square)
    large = np.where(size > _F(9.1), _F(1), _F(1) - _F(2) / (exponential(_F(2) * size) + _F(1)))
    return np.where(size < _F(0.625), small, np.copysign(large, x))


@float_function
def sigmoid(x: np.ndarray) -> np.ndarray:
    smaller = exponential(-np.abs(x))
    return np.where(x < 0, smaller, _F(1)) / (_F(1) + smaller)


@float_function
def error_function(x: np.ndarray) -> np.ndarray:
    size, square = np.abs(x), x * x
    small = x + x * _polynomial(_ERROR, square)
    large = np.where(size > _F(4), _F(1), _F(1) - exponential(_polynomial(_ERROR_REST, size)))
    return np.where(size < _F(1), small, np.copysign(large, x))
