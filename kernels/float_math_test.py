"""How far the functions of float32 are from the exact ones, over all their arguments that matter."""

import math

import numpy as np
import pytest

from kernels import float_math

LARGEST = np.float32(3.4028235e38)


def arguments(low: float, high: float) -> np.ndarray:
    """Evenly spread, and of every magnitude down to the denormal ones."""
    rng = np.random.default_rng(1)
    even = rng.uniform(low, high, 60_000)
    magnitudes = np.exp(rng.uniform(np.log(1e-44), np.log(max(abs(low), abs(high))), 60_000)) * rng.choice([-1, 1], 60_000)
    x = np.concatenate([even, magnitudes]).astype(np.float32)
    return x[(x >= low) & (x <= high)]


def units_off(result: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance, in units in the last place of the exact result."""
    unit = np.spacing(np.maximum(np.abs(exact), 2.0**-126).astype(np.float32)).astype(np.float64)
    return float((np.abs(result.astype(np.float64) - exact) / unit).max())


def error_function(x: np.ndarray) -> np.ndarray:
    return np.array([math.erf(value) for value in x])


@pytest.mark.parametrize(
    "function, exact, low, high, units",
    [
        (float_math.exponential, np.exp, -103, 88.7, 1),
        (float_math.exponential_less_one, np.expm1, -30, 88.7, 3),
        (float_math.logarithm, np.log, 1e-45, float(LARGEST), 1),
        (float_math.logarithm, np.log, 0.3, 3.0, 1),
        (float_math.logarithm_of_one_more, np.log1p, -0.99, 1e6, 3),
        (float_math.square_root, np.sqrt, 0.0, float(LARGEST), 0.5),
        (float_math.hyperbolic_tangent, np.tanh, -12, 12, 2),
        (float_math.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -86, 100, 3),
        (float_math.error_function, error_function, -6, 6, 2),
    ],
)
def test_results_are_within_the_bound_that_is_stated(function, exact, low: float, high: float, units: float) -> None:
    x = arguments(low, high)
    off = units_off(function(x), exact(x.astype(np.float64)))
    assert off <= units
    assert off > 0.1, "a bound that nothing comes near says nothing"


def test_ends_and_what_is_not_a_number() -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0, 200.0, -200.0], np.float32)
    nan = np.nan
    expected = {
        float_math.exponential: [np.inf, 0, nan, 1, np.inf, 0],
        float_math.exponential_less_one: [np.inf, -1, nan, 0, np.inf, -1],
        float_math.logarithm: [np.inf, nan, nan, -np.inf, np.log(np.float32(200)), nan],
        float_math.square_root: [np.inf, nan, nan, 0, np.sqrt(np.float32(200)), nan],
        float_math.hyperbolic_tangent: [1, -1, nan, 0, 1, -1],
        float_math.sigmoid: [1, 0, nan, 0.5, 1, 0],
        float_math.error_function: [1, -1, nan, 0, 1, -1],
    }
    for function, results in expected.items():
        assert np.allclose(function(x), results, rtol=1e-6, equal_nan=True), function


def test_the_lesser_and_the_greater_of_what_is_not_a_number_are_none() -> None:
    a, b = np.array([1, np.nan, 1], np.float32), np.array([2, 1, np.nan], np.float32)
    assert np.array_equal(float_math.lesser(a, b), [1, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(float_math.greater(a, b), [2, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(float_math.clamped(a, 0.0, 0.5), [0.5, np.nan, 0.5], equal_nan=True)
