"""Functions of float32 against the compiler's own definitions in double precision, and what is refused."""

import math

import numpy as np
import pytest

from kernels.function.function import OPERATORS
from kernels.operator import Call, TensorType, UnsupportedError
from kernels.testing.random_float_calls import FUNCTION_NUMBERS

BY_NAME = {operator.name: operator for operator in OPERATORS}


def softplus(x: float, beta: float = 1.0, threshold: float = 20.0) -> float:
    return x if x * beta > threshold else math.log1p(math.exp(x * beta)) / beta


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


EXACT = {
    "abs": abs,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "elu": lambda x, alpha, scale, input_scale: scale * (x if x > 0 else alpha * math.expm1(input_scale * x)),
    "erf": math.erf,
    "exp": math.exp,
    "expm1": math.expm1,
    "gelu": lambda x: x / 2 * math.erfc(-x / math.sqrt(2)),
    "gelu_by_tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "hardsigmoid": lambda x: min(max(x + 3, 0), 6) / 6,
    "hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "leaky_relu": lambda x, slope: x if x > 0 else slope * x,
    "log": math.log,
    "log1p": math.log1p,
    "mish": lambda x: x * math.tanh(softplus(x)),
    "neg": lambda x: -x,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": softplus,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
}
BESIDE_X = {"gelu", "gelu_by_tanh", "hardsigmoid", "hardswish", "mish", "softplus"}
"""Functions whose rounding is that of numbers as large as x, or 1."""


def call_of(name: str, shape: tuple[int, ...]) -> Call:
    tensor = TensorType(shape, "float32")
    return Call(name, (tensor,), (tensor,), FUNCTION_NUMBERS.get(name, {}))


@pytest.mark.parametrize("name", BY_NAME)
def test_results_are_within_four_units_in_the_last_place(name: str) -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.uniform(-12, 12, 20_000), rng.normal(0, 1, 20_000)]).astype(np.float32)
    if name in ("log", "sqrt", "rsqrt"):
        x = np.abs(x)
    if name == "log1p":
        x = np.abs(x) - np.float32(0.99)
    call = call_of(name, x.shape)
    numbers = [float(np.float32(number)) for number in call.attributes.values()]
    exact = np.array([EXACT[name](float(value), *numbers) for value in x])
    unit = np.spacing(np.maximum(np.abs(exact), np.maximum(np.abs(x), 1) if name in BESIDE_X else 1e-37).astype(np.float32))
    (result,) = BY_NAME[name].reference(call, [x])
    assert result.dtype == np.float32
    assert np.abs((result - exact) / unit).max() <= 4


def test_other_shapes_and_dtypes_are_refused() -> None:
    float_, int_ = TensorType((3,), "float32"), TensorType((3,), "int8")
    with pytest.raises(UnsupportedError, match="exp of float32 needs float32"):
        BY_NAME["exp"].kernel(Call("exp", (int_,), (float_,), {}), "scalar")
    with pytest.raises(UnsupportedError, match="one shape that is not empty"):
        BY_NAME["exp"].pack(Call("exp", (float_,), (TensorType((4,), "float32"),), {}), "scalar")


def test_numbers_lie_in_the_order_that_is_stated() -> None:
    tensor = TensorType((2,), "float32")
    params = BY_NAME["elu"].pack(Call("elu", (tensor,), (tensor,), {"alpha": 3.0, "scale": 4.0, "input_scale": 5.0}), "mve")
    assert np.frombuffer(params, "<f4")[1:].tolist() == [3.0, 4.0, 5.0] and params[:4] == bytes([2, 0, 0, 0])
