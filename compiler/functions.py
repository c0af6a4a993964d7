"""Functions of one number, and the tables of 256 results that they become for int8 tensors.

A function is an expression: "x" (its argument), a number, or a tuple of an operator's name and the expressions it works on, such as
("mul", "x", ("sigmoid", "x")). Operators are evaluated in double precision, with IEEE 754's infinities and NaN.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernels.operator import TensorType

Expression = str | float | tuple[Any, ...]

ARGUMENT = "x"


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _hardsigmoid(x: float) -> float:
    return min(max(x + 3, 0.0), 6.0) / 6


def _gelu_by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _elu(x: float, alpha: float, scale: float, input_scale: float) -> float:
    return scale * (x if x > 0 else alpha * math.expm1(input_scale * x))


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def _divided(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def _softplus(x: float, beta: float, threshold: float) -> float:
    return x if x * beta > threshold else math.log1p(math.exp(x * beta)) / beta


def _rounded(value: float, scale: float, zero_point: float) -> int:
    """To int8, half away from zero."""
    steps = min(max(value / scale, -1024.0), 1024.0)
    nearest = int(math.copysign(math.floor(abs(steps) + 0.5), steps))
    return min(max(nearest + int(zero_point), -128), 127)


# By the names of PyTorch's operators; int8 rounds to what an int8 tensor of a scale and zero point can hold.
OPERATORS: Mapping[str, Callable[..., float]] = {
    "abs": abs,
    "add": lambda a, b: a + b,
    "atan": math.atan,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "cos": math.cos,
    "cosh": math.cosh,
    "div": _divided,
    "elu": _elu,
    "erf": math.erf,
    "exp": math.exp,
    "expm1": math.expm1,
    "floor": math.floor,
    "gelu": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "gelu_by_tanh": _gelu_by_tanh,
    "hardsigmoid": _hardsigmoid,
    "hardswish": lambda x: x * _hardsigmoid(x),
    "int8": lambda x, scale, zero_point: (_rounded(x, scale, zero_point) - zero_point) * scale,
    "leaky_relu": lambda x, slope: x if x > 0 else slope * x,
    "log": _log,
    "log1p": lambda x: _log(1 + x) if x <= -1 else math.log1p(x),
    "maximum": max,
    "minimum": min,
    "mish": lambda x: x * math.tanh(_softplus(x, 1.0, 20.0)),
    "mul": lambda a, b: a * b,
    "neg": lambda x: -x,
    "pow": math.pow,
    "round": round,  # half to even, as PyTorch does
    "rsqrt": lambda x: _divided(1.0, math.sqrt(x)),
    "sigmoid": _sigmoid,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "silu": lambda x: x * _sigmoid(x),
    "sin": math.sin,
    "sinh": lambda x: math.sinh(x) if abs(x) < 700 else math.copysign(math.inf, x),
    "softplus": _softplus,
    "sqrt": math.sqrt,
    "sub": lambda a, b: a - b,
    "tanh": math.tanh,
}


def evaluate(expression: Expression, x: float) -> float:
    """The function's value at x; NaN where it is not defined."""
    if expression == ARGUMENT:
        return x
    if not isinstance(expression, tuple):
        return float(expression)
    operator, *operands = expression
    values = [evaluate(operand, x) for operand in operands]
    if any(map(math.isnan, values)):
        return math.nan
    try:
        return float(OPERATORS[operator](*values))
    except ValueError:  # outside the domain
        return math.nan
    except OverflowError:
        return math.inf
    except ZeroDivisionError:  # pow(0, -1)
        return math.inf


def substituted(expression: Expression, argument: Expression) -> Expression:
    """The expression with another in place of its argument: f(g(x)) of f(x) and g(x)."""
    if expression == ARGUMENT:
        return argument
    if not isinstance(expression, tuple):
        return expression
    operator, *operands = expression
    return (operator, *(substituted(operand, argument) for operand in operands))


def function_table(expression: Expression, source: TensorType, result: TensorType) -> np.ndarray:
    """int8[256]: the results for -128 to 127 in the result's quantisation, rounded half away from zero.

    Results beyond int8 become its nearest end. Where the function is not defined it has the value of the nearest point where it is.
    Raises ValueError if it is defined nowhere.
    """
    points = [(q - source.zero_point) * source.scale for q in range(-128, 128)]
    values = [evaluate(expression, point) for point in points]
    defined = [index for index, value in enumerate(values) if not math.isnan(value)]
    if not defined:
        raise ValueError("it is not defined for any value of its input")

    def nearest(index: int) -> int:
        return index if not math.isnan(values[index]) else min(defined, key=lambda other: abs(other - index))

    return np.array([_rounded(values[nearest(index)], result.scale, result.zero_point) for index in range(256)], np.int8)
