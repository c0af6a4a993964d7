"""The transposed convolution's reference against its definition, and its phases."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.channels import finish
from kernels.operator import Call, UnsupportedError
from kernels.testing.properties import PROPERTY, SLOW_PROPERTY
from kernels.testing.random_calls import transposed_conv2d
from kernels.transposed_conv2d.transposed_conv2d import OPERATOR, Phase


def by_scattering(call: Call, x: np.ndarray) -> np.ndarray:
    """Every input pixel adds the kernel, turned by half a turn and times itself, to what is around its place in the output."""
    a = call.attributes
    outputs, kernel_height, kernel_width, depth = a["weight"].shape
    accumulators = np.zeros(call.outputs[0].shape, np.int64) + a["bias"]
    per_group = outputs // a["groups"]
    centred = x.astype(np.int64) - a["input_zero_point"]
    for n, y, z in np.ndindex(*x.shape[:3]):
        for ky, kx in np.ndindex(kernel_height, kernel_width):
            row = y * a["spread"][0] + a["padding"][0] - ky * a["dilation"][0]
            column = z * a["spread"][1] + a["padding"][1] - kx * a["dilation"][1]
            if not (0 <= row < accumulators.shape[1] and 0 <= column < accumulators.shape[2]):
                continue
            for o in range(outputs):
                first = o // per_group * depth
                accumulators[n, row, column, o] += centred[n, y, z, first : first + depth] @ a["weight"][o, ky, kx].astype(np.int64)
    return finish(accumulators, call)


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_the_reference_is_a_transposed_convolution(seed: int) -> None:
    call, (x,) = transposed_conv2d(np.random.default_rng(seed))
    try:
        OPERATOR.kernel(call, "scalar")
    except UnsupportedError:
        return
    assert (OPERATOR.reference(call, [x])[0] == by_scattering(call, x)).all()


@PROPERTY
@given(st.integers(1, 7), st.integers(1, 5), st.integers(1, 4), st.integers(-5, 9))
def test_phases_share_out_the_taps_at_even_steps(kernel: int, spread: int, dilation: int, padding: int) -> None:
    phases = [Phase.of(first, kernel, spread, dilation, padding) for first in range(spread)]
    for first, phase in enumerate(phases):
        taps = [tap for tap in phase.taps if tap is not None]
        places = [first - padding + tap * dilation for tap in taps]
        assert all(place % spread == 0 for place in places)
        assert not taps or places[0] // spread == phase.start
        assert len({b - a for a, b in itertools.pairwise(places)}) <= 1
    met = [tap for phase in phases for tap in phase.taps if tap is not None]
    assert sum(len(phase.taps) for phase in phases) >= 1
    if np.gcd(spread, dilation) == 1:
        assert sorted(met) == list(range(kernel))


def doubling(**changes: object) -> Call:
    """Kernel 4x4, twice as large, 3 to 5 channels: each output meets 2x2 taps."""
    call, _ = transposed_conv2d(np.random.default_rng(0))
    attributes = {
        "weight": np.ones((5, 4, 4, 3), np.int8),
        "bias": np.zeros(5, np.int32),
        "multiplier": np.full(5, 2**30),
        "shift": np.full(5, -6),
        "spread": (2, 2),
        "dilation": (1, 1),
        "padding": (2, 2, 2, 2),
        "groups": 1,
    }
    shapes = (dataclasses.replace(call.inputs[0], shape=(1, 6, 7, 3)), dataclasses.replace(call.outputs[0], shape=(1, 12, 14, 5)))
    return Call(call.operator, (shapes[0],), (shapes[1],), call.attributes | attributes | changes)


def test_the_tile_holds_the_taps_of_one_phase() -> None:
    assert [OPERATOR.scratch_bytes(doubling(), tier) for tier in ("scalar", "dsp", "mve")] == [12 * 16, 12 * 8, 16 * 5]


def test_only_products_with_pixels_count_as_macs() -> None:
    assert OPERATOR.macs(doubling()) == 12 * 14 * 5 * 4 * 3


def test_the_kernel_is_chosen_by_factor() -> None:
    assert OPERATOR.kernel(doubling(), "mve") == "transposed_conv2d_s8"
    assert OPERATOR.kernel(doubling(shift=np.full(5, 2)), "mve") == "conv2d_general_s8"


@pytest.mark.parametrize(
    "changes", [{"padding": (2, 2, 2, 3)}, {"spread": (0, 1)}, {"groups": 2}, {"weight": np.ones((4, 4, 4, 3), np.int8)}]
)
def test_what_does_not_fit_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UnsupportedError):
        OPERATOR.pack(doubling(**changes), "scalar")
