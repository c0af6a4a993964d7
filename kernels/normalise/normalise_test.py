"""The fixed-point normalisation against the real one, and the inverse root it is made of."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.normalise.normalise import LARGEST_GROUP, OPERATOR, inverse_root
from kernels.operator import Call, TensorType, UnsupportedError
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import int8_tensor


def norm(shape: tuple[int, ...], geometry: tuple[int, int, int], *, scale: float = 0.1, zero: int = 3, **changes: object) -> Call:
    positions, groups, depth = geometry
    channels = groups * depth
    attributes = {
        "positions": positions,
        "groups": groups,
        "depth": depth,
        "centred": True,
        "epsilon": 1e-5,
        "factor": np.linspace(0.5, 1.5, channels),
        "offset": np.linspace(-1, 1, channels),
    }
    return Call("normalise", (int8_tensor(shape, zero, scale),), (int8_tensor(shape, -7, 0.04),), {**attributes, **changes})


def exact(call: Call, x: np.ndarray) -> np.ndarray:
    """In steps of the output, not rounded."""
    a, result = call.attributes, call.outputs[0]
    wide = (x.astype(np.float64) - call.inputs[0].zero_point) * call.inputs[0].scale
    wide = wide.reshape(-1, a["positions"], a["groups"], a["depth"])
    mean = wide.mean((1, 3), keepdims=True) if a["centred"] else 0.0
    y = (wide - mean) / np.sqrt(np.square(wide - mean).mean((1, 3), keepdims=True) + a["epsilon"])
    y = y * a["factor"].reshape(a["groups"], -1) + a["offset"].reshape(a["groups"], -1)
    return np.clip(y / result.scale + result.zero_point, -128, 127).reshape(x.shape)


@PROPERTY
@given(st.integers(1, 2**63 - 1) | st.integers(1, 2**20))
def test_the_inverse_root_is_right_to_23_bits(d: int) -> None:
    mantissa, shift = inverse_root(d)
    assert 2**29 <= mantissa <= 2**31
    assert mantissa * 2.0 ** (-30 - shift) == pytest.approx(1 / math.sqrt(d), rel=2.0**-22)


@PROPERTY
@given(
    st.sampled_from([(1, 1, 24), (6, 1, 4), (6, 4, 1), (3, 2, 4), (1, 1, 1)]),
    st.booleans(),
    st.floats(1e-4, 1.0),
    st.integers(-128, 127),
    st.integers(0, 2**32 - 1),
)
def test_outputs_are_the_nearest_to_the_real_ones(geometry: tuple[int, int, int], centred: bool, scale: float, zero: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-128, 128, (5, math.prod(geometry))).astype(np.int8)
    call = norm(x.shape, geometry, scale=scale, zero=zero, centred=centred)
    assert np.abs(OPERATOR.reference(call, [x])[0] - exact(call, x)).max() <= 0.51


@pytest.mark.parametrize(("steps", "most"), [(2**15, 0.512), (2**17, 0.548), (2**19, 0.688)])
@pytest.mark.parametrize("centred", [True, False])
def test_outputs_are_near_where_epsilon_is_far_above_the_variance(steps: int, most: float, centred: bool) -> None:
    x = np.random.default_rng(steps).integers(-128, 128, (200, 24)).astype(np.int8)
    factor = np.linspace(-0.99, 0.99, 24) * steps * 0.04
    call = norm(x.shape, (1, 1, 24), scale=5e-3 / steps, centred=centred, factor=factor)
    y = OPERATOR.reference(call, [x])[0]
    assert np.unique(y).size > 200
    assert np.abs(y - exact(call, x)).max() <= most


def test_a_row_of_equal_values_becomes_its_offsets() -> None:
    call = norm((1, 4), (1, 1, 4), epsilon=0.0)
    wanted = np.floor(call.attributes["offset"] / 0.04 - 7 + 0.5)
    assert OPERATOR.reference(call, [np.full((1, 4), 9, np.int8)])[0].tolist() == [wanted.tolist()]


def test_floats_are_within_a_few_millionths_of_the_exact_norm() -> None:
    x = np.random.default_rng(1).normal(2, 3, (4, 24)).astype(np.float32)
    tensor = TensorType(x.shape, "float32")
    for centred in (True, False):
        call = norm(x.shape, (3, 2, 4), centred=centred)
        call = Call("normalise", (tensor,), (tensor,), call.attributes)
        real = exact(Call("normalise", (int8_tensor((), 0, 1.0),), (int8_tensor((), 0, 1.0),), call.attributes), x)
        assert np.abs(OPERATOR.reference(call, [x])[0] - real).max() < 5e-6


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (norm((2, 23), (1, 1, 24)), "1 x 1 x 24 elements do not divide"),
        (norm((1, LARGEST_GROUP + 1), (LARGEST_GROUP + 1, 1, 1)), "65536 elements"),
        (norm((1, 4), (1, 1, 4), factor=np.ones(3)), "needs 4 factors"),
        (norm((1, 4), (1, 1, 4), offset=np.full(4, 1e9)), "too large"),
        (norm((1, 4), (1, 1, 4), factor=np.full(4, 2**19 * 0.04)), "too large"),
        (norm((1, 4), (1, 1, 4), offset=np.full(4, np.nan)), "not finite"),
    ],
)
def test_what_no_kernel_can_do_is_refused(call: Call, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        OPERATOR.kernel(call, "scalar")
