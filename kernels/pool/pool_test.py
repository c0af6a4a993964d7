"""Pools against loops over their windows."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.operator import Call, UnsupportedError
from kernels.pool.pool import OPERATORS
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import adaptive_avg_pool2d, avg_pool2d, int8_tensor, max_pool2d

AVERAGE, MAXIMUM, ADAPTIVE = OPERATORS


def windows(call: Call, x: np.ndarray) -> np.ndarray:
    """What each output is made of: object array of lists of (value or None in the padding) per tap, hanging taps left out."""
    a = call.attributes
    top, left, bottom, right = a["padding"]
    _, height, width, _ = x.shape
    dilation = a.get("dilation", (1, 1))
    result = np.empty(call.outputs[0].shape, object)
    for n, row, column, c in np.ndindex(*result.shape):
        taps = []
        for ky, kx in np.ndindex(*a["kernel"]):
            y = row * a["stride"][0] - top + ky * dilation[0]
            z = column * a["stride"][1] - left + kx * dilation[1]
            if y < height + bottom and z < width + right:
                inside = 0 <= y < height and 0 <= z < width
                taps.append(int(x[n, y, z, c]) if inside else None)
        result[n, row, column, c] = taps
    return result


def rounded(x: Fraction) -> int:
    return int(math.copysign(1, x)) * math.floor(abs(x) + Fraction(1, 2))


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_averages(seed: int) -> None:
    call, (x,) = avg_pool2d(np.random.default_rng(seed))
    a = call.attributes
    x = x[..., :2]
    call = Call(call.operator, (int8_tensor(x.shape),), (int8_tensor((*call.outputs[0].shape[:3], x.shape[3])),), a)
    outside = [a["zero_point"]] if a["count_include_pad"] else []
    for expected, taps in zip(AVERAGE.reference(call, [x])[0].flat, windows(call, x).flat):
        values = [value for tap in taps for value in (outside if tap is None else [tap])]
        assert expected == min(max(rounded(Fraction(sum(values), len(values))), a["activation_min"]), a["activation_max"])


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_maxima(seed: int) -> None:
    call, (x,) = max_pool2d(np.random.default_rng(seed))
    a = call.attributes
    x = x[..., :2]
    call = Call(call.operator, (int8_tensor(x.shape),), (int8_tensor((*call.outputs[0].shape[:3], x.shape[3])),), a)
    for expected, taps in zip(MAXIMUM.reference(call, [x])[0].flat, windows(call, x).flat):
        assert expected == min(max(max(tap for tap in taps if tap is not None), a["activation_min"]), a["activation_max"])


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_averages_over_windows_that_differ_in_size(seed: int) -> None:
    call, (x,) = adaptive_avg_pool2d(np.random.default_rng(seed))
    (result,) = ADAPTIVE.reference(call, [x])
    for (n, row, column, c), value in np.ndenumerate(result):
        rows, columns = (
            slice(math.floor(i * Fraction(inputs, outputs)), math.ceil((i + 1) * Fraction(inputs, outputs)))
            for i, inputs, outputs in zip((row, column), x.shape[1:3], result.shape[1:3])
        )
        window = x[n, rows, columns, c].astype(int)
        mean = rounded(Fraction(int(window.sum()), window.size))
        assert value == min(max(mean, call.attributes["activation_min"]), call.attributes["activation_max"])


@pytest.mark.parametrize(
    ("source", "result", "reason"),
    [
        ((1, 7, 7, 3), (1, 3, 3, 4), "does not fit"),
        ((7, 7, 3), (3, 3, 3), "does not fit"),
        ((1, 7, 7, 3), (1, 0, 3, 3), "a size is 0"),
        ((1, 2**11, 2**11, 1), (1, 3, 3, 1), "2.22 pixels or more"),
    ],
)
def test_adaptive_pools_that_make_no_sense_are_refused(source: tuple[int, ...], result: tuple[int, ...], reason: str) -> None:
    attributes = {"activation_min": -128, "activation_max": 127}
    with pytest.raises(UnsupportedError, match=reason):
        ADAPTIVE.kernel(Call("adaptive_avg_pool2d", (int8_tensor(source),), (int8_tensor(result),), attributes), "mve")


def test_a_window_of_padding_alone_is_refused() -> None:
    attributes = {"kernel": (1, 1), "stride": (1, 1), "padding": (1, 0, 0, 0), "zero_point": 0}
    attributes |= {"activation_min": -128, "activation_max": 127, "count_include_pad": False}
    call = Call("avg_pool2d", (int8_tensor((1, 2, 2, 1)),), (int8_tensor((1, 3, 2, 1)),), attributes)
    with pytest.raises(UnsupportedError, match="only padding"):
        AVERAGE.pack(call, "scalar")
