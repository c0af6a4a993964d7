"""The convolution's reference against loops, and which kernel serves what."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.channels import finish
from kernels.conv2d.conv2d import OPERATOR
from kernels.operator import Call, UnsupportedError
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import conv2d


def by_loops(call: Call, x: np.ndarray) -> np.ndarray:
    """The definition of a convolution, one product after another."""
    a = call.attributes
    _, height, width, _ = x.shape
    batches, out_height, out_width, outputs = call.outputs[0].shape
    _, kernel_height, kernel_width, depth = a["weight"].shape
    accumulators = np.zeros((batches, out_height, out_width, outputs), np.int64)
    for n, row, column, o in np.ndindex(*accumulators.shape):
        first = o // (outputs // a["groups"]) * depth
        total = int(a["bias"][o])
        for ky, kx, i in np.ndindex(kernel_height, kernel_width, depth):
            y = row * a["stride"][0] - a["padding"][0] + ky * a["dilation"][0]
            z = column * a["stride"][1] - a["padding"][1] + kx * a["dilation"][1]
            if 0 <= y < height and 0 <= z < width:
                total += (int(x[n, y, z, first + i]) - a["input_zero_point"]) * int(a["weight"][o, ky, kx, i])
        accumulators[n, row, column, o] = total
    return finish(accumulators, call)


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_the_reference_is_a_convolution(seed: int) -> None:
    call, (x,) = conv2d(np.random.default_rng(seed))
    call = smaller(call)
    x = x[:, :, :, : call.inputs[0].shape[3]]
    try:
        OPERATOR.kernel(call, "scalar")
    except UnsupportedError:
        return
    assert (OPERATOR.reference(call, [x])[0] == by_loops(call, x)).all()


def smaller(call: Call) -> Call:
    """Two output channels of one group, at most three input channels: loops are slow."""
    depth = min(3, call.attributes["weight"].shape[3])
    attributes = dict(call.attributes, groups=1, weight=call.attributes["weight"][:2, :, :, :depth])
    attributes |= {name: attributes[name][:2] for name in ("bias", "multiplier", "shift")}
    outputs = attributes["weight"].shape[0]
    source, result = call.inputs[0], call.outputs[0]
    return Call(
        call.operator,
        (dataclasses.replace(source, shape=(*source.shape[:3], depth)),),
        (dataclasses.replace(result, shape=(*result.shape[:3], outputs)),),
        attributes,
    )


def plain_call(**changes: object) -> Call:
    """3x3, 4 to 6 channels, on 5x5."""
    rng = np.random.default_rng(0)
    call, _ = next(c for c in (conv2d(rng) for _ in range(200)) if c[0].attributes["groups"] == 1)
    attributes = {
        "weight": np.ones((6, 3, 3, 4), np.int8),
        "bias": np.zeros(6, np.int32),
        "multiplier": np.full(6, 2**30),
        "shift": np.full(6, -6),
        "stride": (1, 1),
        "dilation": (1, 1),
        "padding": (1, 1, 1, 1),
        "groups": 1,
        "input_zero_point": 0,
        "output_zero_point": 0,
        "activation_min": -128,
        "activation_max": 127,
    }
    shapes = (dataclasses.replace(call.inputs[0], shape=(1, 5, 5, 4)), dataclasses.replace(call.outputs[0], shape=(1, 5, 5, 6)))
    return Call("conv2d", (shapes[0],), (shapes[1],), attributes | changes)


def test_kernels_are_chosen_by_shape_and_factor() -> None:
    assert OPERATOR.kernel(plain_call(), "mve") == "conv2d_s8"
    pointwise = {"weight": np.ones((6, 1, 1, 4), np.int8), "padding": (0, 0, 0, 0)}
    assert OPERATOR.kernel(plain_call(**pointwise), "dsp") == "conv2d_1x1_s8"
    assert OPERATOR.kernel(plain_call(**pointwise, shift=np.full(6, 2)), "dsp") == "conv2d_general_s8"


def test_scratch_is_a_tile() -> None:
    assert [OPERATOR.scratch_bytes(plain_call(), tier) for tier in ("scalar", "dsp", "mve")] == [36 * 16, 36 * 8, 48 * 5]


def test_weights_of_windows_that_share_columns_are_ordered_by_row_sixteen_channels_and_column() -> None:
    weight = np.zeros((4, 3, 3, 32), np.int8)
    weight[0, 0, 1, 0] = 1  # row 0, channels 0 to 15, column 1 of output channel 0
    weight[1, 0, 0, 16] = 2
    weight[2, 1, 0, 31] = 3  # output channels 2 and 3 are the second pair
    call = plain_call(weight=weight, bias=np.zeros(4, np.int32), multiplier=np.full(4, 2**30), shift=np.full(4, -6))
    call = with_channels(call, 32, 4)
    records = np.frombuffer(OPERATOR.pack(call, "mve")[-(4 * 288 + 36) :], np.int8)
    assert {int(records[i]): i // 32 for i in np.flatnonzero(records[: 4 * 288])} == {1: 1, 2: 3, 3: 18 + 9}


def with_channels(call: Call, inputs: int, outputs: int) -> Call:
    source, result = (
        dataclasses.replace(tensor, shape=(*tensor.shape[:3], channels))
        for tensor, channels in ((call.inputs[0], inputs), (call.outputs[0], outputs))
    )
    return dataclasses.replace(call, inputs=(source,), outputs=(result,))


def test_macs_are_counted() -> None:
    assert OPERATOR.macs(plain_call()) == 5 * 5 * 6 * 36


@pytest.mark.parametrize(
    "changes",
    [
        {"groups": 2},
        {"weight": np.ones((7, 3, 3, 4), np.int8)},
        {"weight": np.ones((6, 3, 3, 4), np.int16)},
        {"stride": (0, 1)},
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UnsupportedError):
        OPERATOR.pack(plain_call(**changes), "scalar")
