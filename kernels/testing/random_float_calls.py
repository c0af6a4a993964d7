"""Random calls of every operator on float32: the shapes of random_calls.py, numbers of every magnitude. No call computes what is not a
number, whose bits are left open (kernels/float_math.h). Deterministic for a seed."""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from kernels.function.function import OPERATORS as FUNCTIONS
from kernels.operator import Call, TensorType
from kernels.testing import random_calls as int8_calls
from kernels.testing.random_calls import OPERATOR_CALLS, Generator, Inputs

FUNCTION_NUMBERS = {
    "clamp": {"low": -0.75, "high": 2.5},
    "elu": {"alpha": 1.5, "scale": 1.25, "input_scale": 0.75},
    "leaky_relu": {"slope": 0.01},
    "softplus": {"beta": 1.5, "threshold": 20.0},
}
_DOMAINS = {"log": 0.0, "log1p": -1.0, "rsqrt": 0.0, "sqrt": 0.0}


def floats(rng: Generator, shape: tuple[int, ...]) -> np.ndarray:
    """float32: usually near 1, sometimes a constant, small integers, or of every magnitude down to the denormal ones."""
    kind = rng.integers(8)
    if kind == 0:
        return np.full(shape, rng.normal(), np.float32)
    if kind == 1:
        return rng.integers(-3, 4, shape).astype(np.float32)
    if kind == 2:
        signs = rng.choice([-1.0, 1.0], shape)
        return (signs * np.exp(np.clip(rng.normal(0, 25, shape), -103, 30))).astype(np.float32)
    return rng.normal(0, 2, shape).astype(np.float32)


def activation(rng: Generator) -> dict[str, float]:
    """Unbounded, a ReLU's bounds, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return {"activation_min": -math.inf, "activation_max": math.inf}
    if kind == 1:
        return {"activation_min": 0.0, "activation_max": math.inf}
    low, high = sorted(float(x) for x in rng.normal(0, 2, 2))
    return {"activation_min": low, "activation_max": high}


def _of_floats(call: Call, rng: Generator, **attributes: object) -> tuple[Call, Inputs]:
    """The call on float32 tensors of the same shapes, and inputs for it; an output of indices stays."""
    inputs = tuple(TensorType(tensor.shape, "float32") for tensor in call.inputs)
    outputs = tuple(t if t.dtype == "int32" else TensorType(t.shape, "float32") for t in call.outputs)
    changed = dataclasses.replace(call, inputs=inputs, outputs=outputs, attributes={**call.attributes, **attributes})
    return changed, [floats(rng, tensor.shape) for tensor in inputs]


# Of one call: cores without a floating-point unit take 200 instructions for each.
_MOST_PRODUCTS = 15_000


def _weighted(make: Callable) -> Callable:
    def convert(rng: Generator) -> tuple[Call, Inputs]:
        call, _ = make(rng)
        while math.prod(call.outputs[0].shape[:-1]) * call.attributes["weight"].size > _MOST_PRODUCTS:
            call, _ = make(rng)
        weight, bias = (floats(rng, call.attributes[key].shape) for key in ("weight", "bias"))
        return _of_floats(call, rng, weight=weight, bias=bias, **activation(rng))

    return convert


def _with_activation(make: Callable) -> Callable:
    return lambda rng: _of_floats(make(rng)[0], rng, **activation(rng))


def _plain(make: Callable) -> Callable:
    return lambda rng: _of_floats(make(rng)[0], rng)


def add(rng: Generator) -> tuple[Call, Inputs]:
    return _of_floats(int8_calls.add(rng)[0], rng, alpha=float(rng.choice([1.0, 1.0, -1.0, 0.3])), **activation(rng))


def div(rng: Generator) -> tuple[Call, Inputs]:
    call, (a, b) = _with_activation(int8_calls.div)(rng)
    return call, [a, np.where(b == 0, np.float32(0.1), b)]


def total(rng: Generator) -> tuple[Call, Inputs]:
    return _of_floats(int8_calls.total(rng)[0], rng, divisor=float(rng.choice([1.0, rng.integers(1, 100)])))


def pad(rng: Generator) -> tuple[Call, Inputs]:
    return _of_floats(int8_calls.pad(rng)[0], rng, value=float(rng.choice([0.0, -np.inf, np.float32(rng.normal())])))


def normalise(rng: Generator) -> tuple[Call, Inputs]:
    return _of_floats(int8_calls.normalise(rng)[0], rng, epsilon=float(rng.choice([1e-5, 1e-3])))


def _function(name: str) -> Callable:
    def make(rng: Generator) -> tuple[Call, Inputs]:
        shape = (int(rng.integers(1, 30)),)
        x = floats(rng, shape)
        if name in _DOMAINS:
            x = np.abs(x) if _DOMAINS[name] == 0 else np.maximum(x, np.float32(-0.999))
        tensor = TensorType(shape, "float32")
        return Call(name, (tensor,), (tensor,), FUNCTION_NUMBERS.get(name, {})), [x]

    return make


FLOAT_CALLS: tuple[Callable[[Generator], tuple[Call, Inputs]], ...] = (
    _weighted(int8_calls.conv2d),
    _weighted(int8_calls.depthwise_conv2d),
    _weighted(int8_calls.transposed_conv2d),
    _weighted(int8_calls.linear),
    _with_activation(int8_calls.matmul),
    _with_activation(int8_calls.avg_pool2d),
    _with_activation(int8_calls.max_pool2d),
    _with_activation(int8_calls.adaptive_avg_pool2d),
    _plain(int8_calls.softmax),
    _plain(int8_calls.log_softmax),
    normalise,
    add,
    _with_activation(int8_calls.mul),
    div,
    _with_activation(int8_calls.minimum),
    _with_activation(int8_calls.maximum),
    total,
    _plain(int8_calls.amax),
    _plain(int8_calls.amin),
    _plain(int8_calls.argmax),
    _plain(int8_calls.argmin),
    pad,
    *(_function(function.name) for function in FUNCTIONS),
)

ALL_CALLS = OPERATOR_CALLS + FLOAT_CALLS
