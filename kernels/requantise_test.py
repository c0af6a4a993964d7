"""The fixed-point arithmetic against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.requantise import INT32_MAX, quantise_multiplier, requantise
from kernels.testing.properties import PROPERTY

INT32 = st.integers(-INT32_MAX - 1, INT32_MAX)


def round_half_up(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2))


def round_half_away(x: Fraction) -> int:
    return int(math.copysign(1, x)) * math.floor(abs(x) + Fraction(1, 2))


@PROPERTY
@given(st.floats(2.0**-40, 2.0**20))
def test_a_multiplier_is_within_half_a_step_of_its_factor(real: float) -> None:
    multiplier, shift = quantise_multiplier(real)
    assert 2**30 <= multiplier < 2**31
    assert abs(Fraction(multiplier) * Fraction(2) ** (shift - 31) - Fraction(real)) <= Fraction(2) ** (shift - 32)


def test_zero_powers_of_two_and_what_rounds_up_to_one() -> None:
    assert quantise_multiplier(0.0) == (0, 0)
    assert quantise_multiplier(0.5) == (2**30, 0)
    assert quantise_multiplier(1.0) == (2**30, 1)
    assert quantise_multiplier(math.nextafter(1.0, 0.0)) == (2**30, 1)


@pytest.mark.parametrize("real", [-1.0, math.inf, math.nan])
def test_a_factor_that_is_none_is_refused(real: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        quantise_multiplier(real)


@PROPERTY
@given(INT32, st.integers(2**30, 2**31 - 1), st.integers(-40, 0))
def test_requantising_rounds_twice(accumulator: int, multiplier: int, shift: int) -> None:
    high = round_half_up(Fraction(accumulator * multiplier, 2**31))
    assert requantise(accumulator, multiplier, shift) == round_half_away(Fraction(high, 2**-shift))


@PROPERTY
@given(st.integers(-1000, 1000), st.integers(2**30, 2**31 - 1), st.integers(1, 20))
def test_a_left_shift_comes_before_the_product(accumulator: int, multiplier: int, shift: int) -> None:
    assert requantise(accumulator, multiplier, shift) == round_half_up(Fraction((accumulator << shift) * multiplier, 2**31))


def test_lost_bits_are_an_error() -> None:
    with pytest.raises(OverflowError):
        requantise(np.int64(2**30), 2**30, 1)
