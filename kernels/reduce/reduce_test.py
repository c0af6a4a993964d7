"""Reductions against slow definitions and real numbers, and what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.operator import Call, TensorType, UnsupportedError
from kernels.reduce.geometry import Geometry
from kernels.reduce.reduce import OPERATORS
from kernels.requantise import quantise_multiplier
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import amax, amin, argmax, int8_tensor, total

BY_NAME = {operator.name: operator for operator in OPERATORS}


@PROPERTY
@given(st.integers(0, 2**32), st.sampled_from([total, amax, amin, argmax]))
def test_the_geometry_reaches_each_element_once_and_gives_the_reference(seed: int, make) -> None:
    call, (x,) = make(np.random.default_rng(seed))
    operator = BY_NAME[call.operator]
    try:
        operator.kernel(call, "scalar")
    except UnsupportedError:
        return
    geometry, flat = Geometry.of(call), x.reshape(-1)

    def steps(axes) -> list[int]:
        return [sum(i * step for i, (_, step) in zip(place, axes)) for place in itertools.product(*(range(n) for n, _ in axes))]

    elements = [[flat[kept + reduced] for reduced in steps(geometry.reduced)] for kept in steps(geometry.kept)]
    assert sum(map(len, elements)) == x.size
    expected = operator.reference(call, [x])[0].reshape(-1).tolist()
    if call.operator == "amax":
        assert [max(group) for group in elements] == expected
    elif call.operator == "amin":
        assert [min(group) for group in elements] == expected
    elif call.operator == "argmax":
        assert [group.index(max(group)) for group in elements] == expected
    else:
        a = call.attributes
        factor = a["multiplier"] * 2.0 ** (a["shift"] - 31)
        real = [sum(int(e) - a["input_zero_point"] for e in group) * factor + a["output_zero_point"] for group in elements]
        assert np.abs(np.clip(real, -128, 127) - expected).max() <= 1


def test_a_mean_is_rounded_to_the_nearest() -> None:
    multiplier, shift = quantise_multiplier(1 / 3)
    attributes = {"axes": (0,), "multiplier": multiplier, "shift": shift, "input_zero_point": 0, "output_zero_point": 5}
    call = Call("sum", (int8_tensor((3, 2)),), (int8_tensor((2,)),), attributes)
    assert BY_NAME["sum"].reference(call, [np.array([[1, -1], [2, -2], [2, -2]], np.int8)])[0].tolist() == [7, 3]


def test_the_first_of_equal_maxima_is_named() -> None:
    call = Call("argmax", (int8_tensor((4,)),), (TensorType((), "int32"),), {"axes": (0,)})
    assert BY_NAME["argmax"].reference(call, [np.array([1, 7, 7, 0], np.int8)])[0] == 1


@pytest.mark.parametrize(
    "operator, shape, result, attributes, reason",
    [
        ("amax", (2, 3), (3,), {"axes": (1,)}, r"\[2, 3\] over \[1\] is not \[3\]"),
        ("amax", (2, 3), (2,), {"axes": (2,)}, r"no axes \[2\] in \[2, 3\]"),
        ("amax", (2, 2, 2, 2, 2), (2, 2, 2), {"axes": (1, 3)}, None),
        ("amax", (2,) * 6, (2, 2, 2), {"axes": (0, 2, 4)}, "in more than two places"),
        ("argmax", (2, 3), (1, 1), {"axes": (0, 1)}, "argmax is over one axis"),
    ],
)
def test_what_cannot_be_reduced_is_refused(operator: str, shape: tuple, result: tuple, attributes: dict, reason: str | None) -> None:
    dtype = "int32" if operator == "argmax" else "int8"
    call = Call(operator, (int8_tensor(shape),), (TensorType(result, dtype),), attributes)
    with pytest.raises(UnsupportedError, match=reason or "in more than two places"):
        BY_NAME[operator].kernel(call, "mve")


def test_a_sum_that_could_overflow_is_refused() -> None:
    attributes = {"axes": (0,), "multiplier": 2**30, "shift": 20, "input_zero_point": 0, "output_zero_point": 0}
    with pytest.raises(UnsupportedError, match="could overflow int32"):
        BY_NAME["sum"].kernel(Call("sum", (int8_tensor((9,)),), (int8_tensor(()),), attributes), "dsp")
