"""The depthwise convolution's reference against conv2d's, and which kernel serves what."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.conv2d import conv2d
from kernels.depthwise_conv2d.depthwise_conv2d import OPERATOR
from kernels.operator import Call, UnsupportedError
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import depthwise_conv2d


def as_grouped(call: Call) -> Call:
    """The convolution with one group per input channel that is the same."""
    weight = np.moveaxis(call.attributes["weight"], 2, 0)[..., None]
    return Call("conv2d", call.inputs, call.outputs, {**call.attributes, "weight": weight, "groups": call.inputs[0].shape[3]})


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_the_reference_is_a_grouped_convolution(seed: int) -> None:
    call, inputs = depthwise_conv2d(np.random.default_rng(seed))
    try:
        OPERATOR.kernel(call, "scalar")
    except UnsupportedError:
        return
    assert (OPERATOR.reference(call, inputs)[0] == conv2d.OPERATOR.reference(as_grouped(call), inputs)[0]).all()


def calls(kernel: str, count: int) -> list[Call]:
    rng, found = np.random.default_rng(1), []
    while len(found) < count:
        call, _ = depthwise_conv2d(rng)
        try:
            if OPERATOR.kernel(call, "mve") == kernel:
                found.append(call)
        except UnsupportedError:
            pass
    return found


@pytest.mark.parametrize(("kernel", "stride"), [("depthwise_conv2d_3x3_s8", (1, 1)), ("depthwise_conv2d_3x3_s2_s8", (2, 2))])
def test_3x3_kernels_serve_3x3_with_their_stride_only(kernel: str, stride: tuple[int, int]) -> None:
    for call in calls(kernel, 5):
        assert call.attributes["weight"].shape[:2] == (3, 3)
        assert call.attributes["stride"] == stride and call.attributes["dilation"] == (1, 1)
        assert call.attributes["depth_multiplier"] == 1


def test_scratch_is_a_few_padded_rows() -> None:
    for call in calls("depthwise_conv2d_3x3_s8", 5):
        _, _, width, channels = call.outputs[0].shape
        assert OPERATOR.scratch_bytes(call, "dsp") == 4 * (width + 2) * channels
        assert OPERATOR.scratch_bytes(call, "mve") == 3 * (width + 2) * -(-channels // 16) * 16


def test_a_multiplier_that_does_not_fit_is_refused() -> None:
    (call,) = calls("depthwise_conv2d_s8", 1)
    with pytest.raises(UnsupportedError, match="does not fit"):
        OPERATOR.pack(Call(call.operator, call.inputs, call.outputs, {**call.attributes, "depth_multiplier": 2}), "dsp")
