"""References of the operators of two tensors against real arithmetic, and the walk through tensors that broadcast."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.elementwise import add, div, extremes, mul
from kernels.elementwise.add import add_attributes
from kernels.elementwise.broadcast import Broadcast
from kernels.elementwise.div import div_attributes
from kernels.elementwise.mul import mul_attributes
from kernels.operator import Call, UnsupportedError
from kernels.testing import random_calls
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import broadcast_shapes, int8_tensor

BOUNDS = {"activation_min": -128, "activation_max": 127}
ZEROS = {"input_zero_point": (0, 0), "output_zero_point": 0}


def real_values(call: Call, inputs: list[np.ndarray]) -> list[np.ndarray]:
    return [(x - float(tensor.zero_point)) * tensor.scale for x, tensor in zip(inputs, call.inputs)]


def distance(call: Call, real: np.ndarray, result: np.ndarray) -> float:
    """In steps of the output, from what the real result would be without rounding."""
    attributes = call.attributes
    steps = real / call.outputs[0].scale + attributes["output_zero_point"]
    return float(np.abs(result - np.clip(steps, attributes["activation_min"], attributes["activation_max"])).max())


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_rows_visit_the_elements_that_broadcasting_pairs(seed: int) -> None:
    shape_a, shape_b, shape = broadcast_shapes(np.random.default_rng(seed))
    rows = Broadcast.of(shape_a, shape_b)
    starts = [(0, 0)]
    for size, *strides in rows.axes:  # innermost first: what is there so far is repeated
        starts = [(a + i * strides[0], b + i * strides[1]) for i in range(size) for a, b in starts]
    visited = [
        (a + i * (not rows.repeats[0]), b + i * (not rows.repeats[1])) for a, b in starts for i in range(rows.length)
    ]
    wanted = [np.broadcast_to(np.arange(np.prod(s, dtype=int)).reshape(s), shape).ravel() for s in (shape_a, shape_b)]
    assert visited == list(zip(*(indices.tolist() for indices in wanted)))


def test_the_usual_broadcasts_have_few_rows() -> None:
    assert Broadcast.of((1, 4, 5, 6), (1, 4, 5, 6)).axes == Broadcast.of((1, 4, 5, 6), ()).axes == ()
    assert Broadcast.of((1, 4, 5, 6), (6,)) == Broadcast(6, (False, False), ((20, 6, 0),))
    assert Broadcast.of((1, 4, 5, 1), (1, 4, 5, 6)) == Broadcast(6, (True, False), ((20, 1, 6),))


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_sums_and_differences_are_within_half_a_step_and_a_bit(seed: int) -> None:
    call, inputs = random_calls.add(np.random.default_rng(seed))
    if call.outputs[0].scale < max(tensor.scale for tensor in call.inputs) * 2.0**-10:
        return  # finer than the arithmetic of 20 bits
    a, b = real_values(call, inputs)
    real = a - b if call.attributes["input_multiplier"][1] < 0 else a + b
    assert distance(call, real, add.OPERATOR.reference(call, inputs)[0]) <= 0.501


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_products_are_within_half_a_step_and_a_bit(seed: int) -> None:
    call, inputs = random_calls.mul(np.random.default_rng(seed))
    a, b = real_values(call, inputs)
    first_rounding = 2.0 ** (call.attributes["shift"] - 1)
    assert distance(call, a * b, mul.OPERATOR.reference(call, inputs)[0]) <= 0.5 + first_rounding + 1e-6


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_products_are_those_of_whole_numbers_rounded_half_away_from_zero(seed: int) -> None:
    call, (a, b) = random_calls.mul(np.random.default_rng(seed))
    attributes, (za, zb) = call.attributes, call.attributes["input_zero_point"]

    def product(x: int, y: int) -> int:
        wide = ((x - za) * (y - zb) << attributes["left_shift"]) * attributes["multiplier"]
        high = int((Fraction(wide, 2**31) + Fraction(1, 2)) // 1)
        rounded = int(abs(Fraction(high, 2 ** -attributes["shift"])) + Fraction(1, 2)) * (1 if high > 0 else -1)
        return min(max(rounded + attributes["output_zero_point"], attributes["activation_min"]), attributes["activation_max"])

    pairs = np.broadcast_arrays(a, b)
    expected = [product(x, y) for x, y in zip(*(operand.ravel().tolist() for operand in pairs))]
    assert mul.OPERATOR.reference(call, [a, b])[0].ravel().tolist() == expected


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_quotients_are_within_half_a_step_and_a_bit(seed: int) -> None:
    call, inputs = random_calls.div(np.random.default_rng(seed))
    a, b = real_values(call, inputs)
    quotient = np.divide(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=np.broadcast_to(b != 0, call.outputs[0].shape))
    assert distance(call, quotient, div.OPERATOR.reference(call, inputs)[0]) <= 0.52


def test_nothing_divided_by_zero_is_more_than_zero() -> None:
    call = Call(
        "div",
        (int8_tensor((3,), 0, 0.1), int8_tensor((3,), 4, 0.1)),
        (int8_tensor((3,), -7, 0.05),),
        BOUNDS | div_attributes(0.1, 0.1, 0.05, 4) | {"input_zero_point": (0, 4), "output_zero_point": -7},
    )
    assert div.OPERATOR.reference(call, [np.array([100, -100, 3], np.int8), np.array([4, 4, 5], np.int8)])[0].tolist() == [-7, -7, 53]


def test_the_lesser_and_the_greater() -> None:
    call = Call("minimum", (int8_tensor((2, 1)), int8_tensor((3,))), (int8_tensor((2, 3)),), {"activation_min": -5, "activation_max": 127})
    inputs = [np.array([[-128], [3]], np.int8), np.array([2, 4, -6], np.int8)]
    minimum, maximum = extremes.OPERATORS
    assert minimum.reference(call, inputs)[0].tolist() == [[-5, -5, -5], [2, 3, -5]]
    assert maximum.reference(call, inputs)[0].tolist() == [[2, 4, -5], [3, 4, 3]]


@pytest.mark.parametrize("operator", [add.OPERATOR, mul.OPERATOR, div.OPERATOR, *extremes.OPERATORS])
def test_shapes_that_do_not_broadcast_are_refused(operator) -> None:
    factors = {"add": add_attributes(1, 1, 1), "mul": mul_attributes(1, 1, 1), "div": div_attributes(1, 1, 1, 0)}
    attributes = factors.get(operator.name, {}) | ZEROS | BOUNDS
    for a, b, result, reason in (
        ((4,), (3,), (4,), "do not broadcast"),
        ((4,), (1,), (1, 4), "output shape"),
        ((2, 1, 2, 1, 2), (1, 2, 1, 2, 1), (2, 2, 2, 2, 2), "more than 4 axes"),
    ):
        call = Call(operator.name, (int8_tensor(a), int8_tensor(b)), (int8_tensor(result),), attributes)
        with pytest.raises(UnsupportedError, match=reason):
            operator.kernel(call, "mve")


def test_an_operand_that_repeats_must_not_be_overwritten() -> None:
    call = Call("minimum", (int8_tensor((4, 3)), int8_tensor((3,))), (int8_tensor((4, 3)),), BOUNDS)
    assert [extremes.OPERATORS[0].overlap_lead(call, "dsp", i) for i in (0, 1)] == [0, None]


def test_a_sum_whose_scale_is_far_too_fine_saturates() -> None:
    tensors = (int8_tensor((3,), 0, 1.0),) * 2
    call = Call("add", tensors, (int8_tensor((3,), 0, 1e-9),), add_attributes(1.0, 1.0, 1e-9) | ZEROS | BOUNDS)
    operands = [np.array([1, -1, 5], np.int8), np.array([1, 0, -5], np.int8)]
    assert add.OPERATOR.reference(call, operands)[0].tolist() == [127, -128, 0]


def test_a_sum_neither_of_whose_factors_is_a_half_is_refused() -> None:
    attributes = add_attributes(1.0, 0.3, 1.0) | {"input_shift": (-1, -1)} | ZEROS | BOUNDS
    with pytest.raises(UnsupportedError, match="no factor of an input is 1/2"):
        add.OPERATOR.kernel(Call("add", (int8_tensor((3,)),) * 2, (int8_tensor((3,)),), attributes), "scalar")
