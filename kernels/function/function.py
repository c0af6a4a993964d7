"""Functions of one float32, element by element; int8 tensors have tables for them (kernels/table).

Each function is an operator of that name, whose attributes are its numbers. Kernels: <name>_f32.

    abs, neg            exact                            sqrt          the nearest float
    clamp               low, high                        rsqrt         1 / sqrt(x)
    exp, expm1, log, log1p, erf, sigmoid, tanh           as in kernels/float_math.py
    leaky_relu          slope                            x if x > 0, else slope * x
    elu                 alpha, scale, input_scale        scale * x if x > 0, else scale * alpha * (e^(input_scale * x) - 1)
    silu                x * sigmoid(x)                   gelu          x / 2 * (1 + erf(x / sqrt(2)))
    gelu_by_tanh        x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    hardsigmoid         min(max(x + 3, 0), 6) / 6        hardswish     x * hardsigmoid(x)
    softplus            beta, threshold                  ln(1 + e^(beta * x)) / beta; x where beta * x > threshold
    mish                x * tanh(softplus(x))

Results are within 4 units in the last place of the exact ones; those of gelu, gelu_by_tanh, hardsigmoid, hardswish, mish and softplus
within 4 units of the last place of x, or of 1 if that is more, as they round sums of that size.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np

from kernels import float_math as fm
from kernels.floats import FloatOperator, require_float
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature

_F = np.float32

FUNCTION_F32_PARAMS = ParamsStruct(
    "FunctionF32Params",
    "A function of floats.",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("first", "float", "the function's numbers, 0 for those it lacks"),
        Field("second", "float", ""),
        Field("third", "float", ""),
    ),
)

PARAMS = (FUNCTION_F32_PARAMS,)


@dataclasses.dataclass(frozen=True)
class Function(FloatOperator):
    """`compute` takes the argument and the numbers."""

    name: str
    compute: Callable[..., np.ndarray]
    numbers: tuple[str, ...] = ()

    @property
    def signature(self) -> KernelSignature:
        params, header = FUNCTION_F32_PARAMS.name, "kernels/function/function.h"
        return KernelSignature(f"{self.name}_f32", ("float",), params, False, ("float",), header)

    def kernel(self, call: Call, tier: Tier) -> str:
        require_float(call)
        (source,), (result,) = call.inputs, call.outputs
        if source.shape != result.shape or 0 in source.shape:
            raise UnsupportedError(f"{self.name} needs input and output of one shape that is not empty")
        return self.signature.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        numbers = dict(zip(("first", "second", "third"), [*self._numbers(call), 0.0, 0.0, 0.0]))
        return FUNCTION_F32_PARAMS.pack({"count": math.prod(call.inputs[0].shape)} | numbers)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return [self.compute(inputs[0], *map(_F, self._numbers(call))).astype(_F)]

    def _numbers(self, call: Call) -> list[float]:
        return [float(call.attributes[number]) for number in self.numbers]


def _elu(x: np.ndarray, alpha: np.float32, scale: np.float32, input_scale: np.float32) -> np.ndarray:
    return np.where(x > 0, scale * x, scale * (alpha * fm.exponential_less_one(input_scale * x)))


def _gelu(x: np.ndarray) -> np.ndarray:
    return _F(0.5) * x * (_F(1) + fm.error_function(x * _F(0.70710678)))


def _gelu_by_tanh(x: np.ndarray) -> np.ndarray:
    return _F(0.5) * x * (_F(1) + fm.hyperbolic_tangent(_F(0.7978846) * (x + _F(0.044715) * x * x * x)))


def _hardsigmoid(x: np.ndarray) -> np.ndarray:
    return fm.clamped(x + _F(3), 0.0, 6.0) * _F(0.16666667)


def _softplus(x: np.ndarray, beta: np.float32, threshold: np.float32) -> np.ndarray:
    scaled = x * beta
    return np.where(scaled > threshold, x, fm.logarithm_of_one_more(fm.exponential(scaled)) / beta)


OPERATORS = (
    Function("abs", np.abs),
    Function("clamp", fm.clamped, ("low", "high")),
    Function("elu", _elu, ("alpha", "scale", "input_scale")),
    Function("erf", fm.error_function),
    Function("exp", fm.exponential),
    Function("expm1", fm.exponential_less_one),
    Function("gelu", _gelu),
    Function("gelu_by_tanh", _gelu_by_tanh),
    Function("hardsigmoid", _hardsigmoid),
    Function("hardswish", lambda x: x * _hardsigmoid(x)),
    Function("leaky_relu", lambda x, slope: np.where(x > 0, x, slope * x), ("slope",)),
    Function("log", fm.logarithm),
    Function("log1p", fm.logarithm_of_one_more),
    Function("mish", lambda x: x * fm.hyperbolic_tangent(_softplus(x, _F(1), _F(20)))),
    Function("neg", np.negative),
    Function("rsqrt", lambda x: _F(1) / fm.square_root(x)),
    Function("sigmoid", fm.sigmoid),
    Function("silu", lambda x: x * fm.sigmoid(x)),
    Function("softplus", _softplus, ("beta", "threshold")),
    Function("sqrt", fm.square_root),
    Function("tanh", fm.hyperbolic_tangent),
)

KERNELS = tuple(operator.signature for operator in OPERATORS)
