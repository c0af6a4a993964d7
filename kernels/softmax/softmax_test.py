"""The fixed-point softmax against the real one, and its parts against theirs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.operator import Call, UnsupportedError
from kernels.softmax.softmax import OPERATORS, exponential, log_softmax_attributes, logarithm, reciprocal, softmax_attributes
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import int8_tensor

OPERATOR, LOG_SOFTMAX = OPERATORS


@PROPERTY
@given(st.integers(-(31 * 2**26), 0))
def test_the_exponential_is_right_to_a_few_millionths(x: int) -> None:
    assert exponential(np.array([x]))[0] / 2**31 == pytest.approx(math.exp(x / 2**26), abs=3e-7)


@PROPERTY
@given(st.integers(2**19, 2**31 - 1))
def test_the_reciprocal_is_right_to_eight_digits(total: int) -> None:
    inverse, shift = reciprocal(np.array([total]))
    assert inverse[0] * 2.0**-31 * 2.0 ** -float(shift[0]) == pytest.approx(2**19 / total, rel=1e-8)


@PROPERTY
@given(st.integers(2**19, 2**31 - 1))
def test_the_logarithm_is_right_to_a_millionth(total: int) -> None:
    assert logarithm(np.array([total]))[0] * 2.0**-20 == pytest.approx(math.log2(total / 2**19), abs=2e-6)


@PROPERTY
@given(st.floats(1e-3, 2.0), st.floats(1e-3, 1.0), st.integers(-128, 127), st.lists(st.integers(-128, 127), min_size=1, max_size=50))
def test_logarithms_are_within_one_step_of_the_real_log_softmax(scale: float, out_scale: float, zero: int, row: list[int]) -> None:
    x = np.array([row], np.int8)
    attributes = log_softmax_attributes(scale, out_scale, zero)
    call = Call("log_softmax", (int8_tensor(x.shape, 0, scale),), (int8_tensor(x.shape, zero, out_scale),), attributes)
    real = (x - x.max().astype(np.float64)) * scale
    exact = np.clip((real - np.log(np.exp(real).sum())) / out_scale + zero, -128, 127)
    assert np.abs(LOG_SOFTMAX.reference(call, [x])[0] - exact).max() <= 1


def test_an_output_scale_that_is_too_small_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="output scale"):
        log_softmax_attributes(0.1, 1e-4, 0)


@PROPERTY
@given(st.floats(1e-4, 1.0), st.lists(st.integers(-128, 127), min_size=1, max_size=50))
def test_outputs_are_within_one_step_of_the_real_softmax(scale: float, row: list[int]) -> None:
    x = np.array([row], np.int8)
    call = Call("softmax", (int8_tensor(x.shape, 0, scale),), (int8_tensor(x.shape, -128, 1 / 256),), softmax_attributes(scale))
    exact = np.exp((x - x.max().astype(np.float64)) * scale)
    exact = np.minimum(exact / exact.sum() * 256 - 128, 127)
    assert np.abs(OPERATOR.reference(call, [x])[0] - exact).max() <= 1


def test_values_that_tensorflow_lite_gives() -> None:
    """Hand-checked: equal inputs share 256 steps; a difference of 10 real units leaves nothing."""
    call = Call("softmax", (int8_tensor((1, 4)),), (int8_tensor((1, 4)),), softmax_attributes(0.1))
    assert OPERATOR.reference(call, [np.zeros((1, 4), np.int8)])[0].tolist() == [[-64, -64, -64, -64]]
    assert OPERATOR.reference(call, [np.array([[100, 0, 0, 0]], np.int8)])[0].tolist() == [[127, -128, -128, -128]]


def test_inputs_that_hardly_differ_share_equally() -> None:
    call = Call("softmax", (int8_tensor((1, 4)),), (int8_tensor((1, 4)),), softmax_attributes(1e-12))
    assert OPERATOR.reference(call, [np.array([[-128, 0, 1, 127]], np.int8)])[0].tolist() == [[-64, -64, -64, -64]]


def test_rows_that_are_too_long_are_refused() -> None:
    call = Call("softmax", (int8_tensor((1, 4096)),), (int8_tensor((1, 4096)),), softmax_attributes(0.1))
    with pytest.raises(UnsupportedError, match="4096 elements"):
        OPERATOR.kernel(call, "scalar")


def test_along_any_axis_rows_are_what_they_are_along_the_last() -> None:
    x = np.random.default_rng(0).integers(-128, 128, (3, 5, 4)).astype(np.int8)
    for axis in range(3):
        call = Call("softmax", (int8_tensor(x.shape),), (int8_tensor(x.shape),), softmax_attributes(0.05) | {"axis": axis})
        last = np.ascontiguousarray(np.moveaxis(x, axis, -1))
        call_last = Call("softmax", (int8_tensor(last.shape),), (int8_tensor(last.shape),), softmax_attributes(0.05))
        expected = np.moveaxis(OPERATOR.reference(call_last, [last])[0], -1, axis)
        assert np.array_equal(OPERATOR.reference(call, [x])[0], expected)


def test_an_axis_that_is_not_there_is_refused() -> None:
    call = Call("softmax", (int8_tensor((1, 4)),), (int8_tensor((1, 4)),), softmax_attributes(0.1) | {"axis": 2})
    with pytest.raises(UnsupportedError, match="no axis 2"):
        OPERATOR.kernel(call, "scalar")
