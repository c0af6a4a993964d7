"""The matrix product's reference against loops, what fits together, and what it may overlap."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.matmul.matmul import OPERATOR, matmul_attributes
from kernels.operator import Call, UnsupportedError
from kernels.requantise import requantise
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import int8_tensor, matmul


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_the_reference_is_a_sum_of_products(seed: int) -> None:
    call, (a, b) = matmul(np.random.default_rng(seed))
    attributes, result = call.attributes, OPERATOR.reference(call, [a, b])[0]
    b = b.swapaxes(-1, -2) if attributes["transposed"] else b
    a, b = (np.broadcast_to(x, result.shape[:-2] + x.shape[-2:]).astype(np.int64) for x in (a, b))
    zero_a, zero_b = attributes["input_zero_point"]
    for place in np.ndindex(*result.shape):
        *front, row, column = place
        total = sum((x - zero_a) * (y - zero_b) for x, y in zip(a[(*front, row)], b[(*front, slice(None), column)]))
        y = int(requantise(total, attributes["multiplier"], attributes["shift"])) + attributes["output_zero_point"]
        assert result[place] == min(max(y, attributes["activation_min"]), attributes["activation_max"])


def product(a: tuple[int, ...], b: tuple[int, ...], result: tuple[int, ...], **changes: object) -> Call:
    attributes = matmul_attributes(0.1, 0.1, 1.0) | {"transposed": False, "input_zero_point": (1, 2), "output_zero_point": 3}
    attributes |= {"activation_min": -128, "activation_max": 127} | changes
    return Call("matmul", (int8_tensor(a), int8_tensor(b)), (int8_tensor(result),), attributes)


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ((2, 3), (4, 5), (2, 5)),
        ((2, 2, 3), (3, 3, 5), (2, 2, 5)),
        ((2, 1, 2, 3), (1, 2, 3, 5), (2, 2, 2, 5)),
        ((2, 3), (3, 5), (2, 4)),
        ((3,), (3, 5), (5,)),
        ((2, 0), (0, 5), (2, 5)),
        ((2, 8192), (8192, 5), (2, 5)),
    ],
)
def test_what_does_not_fit_is_refused(a: tuple[int, ...], b: tuple[int, ...], result: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedError):
        OPERATOR.pack(product(a, b, result), "scalar")


def test_one_matrix_b_makes_all_rows_alike() -> None:
    many, flat = product((4, 2, 3), (3, 5), (4, 2, 5)), product((8, 3), (3, 5), (8, 5))
    assert OPERATOR.pack(many, "mve") == OPERATOR.pack(flat, "mve")


def test_a_factor_of_a_half_or_more_is_refused_and_one_of_nothing_is_zero() -> None:
    with pytest.raises(UnsupportedError, match="its scale is too small"):
        matmul_attributes(1.0, 0.5, 1.0)
    assert matmul_attributes(1e-6, 1e-6, 1.0) == {"multiplier": 0, "shift": 0}


def test_a_result_that_is_no_longer_than_its_operands_may_lie_over_either() -> None:
    call = product((2, 3, 5), (2, 5, 4), (2, 3, 4))
    assert [OPERATOR.overlap_lead(call, "dsp", operand) for operand in (0, 1)] == [0, 0]
    wide = dataclasses.replace(call, inputs=(int8_tensor((2, 6, 3)), int8_tensor((2, 3, 4))), outputs=(int8_tensor((2, 6, 4)),))
    assert [OPERATOR.overlap_lead(wide, "dsp", operand) for operand in (0, 1)] == [11, 12]


def test_macs_are_counted() -> None:
    assert OPERATOR.macs(product((2, 3, 5), (2, 5, 4), (2, 3, 4))) == 2 * 3 * 4 * 5
