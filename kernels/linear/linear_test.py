"""The linear layer's reference against loops, and which kernel serves what."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.channels import Channels, finish
from kernels.linear.dense import four_records
from kernels.linear.linear import OPERATOR
from kernels.operator import Call, TensorType, UnsupportedError
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import int8_tensor, linear


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_the_reference_is_a_matrix_product(seed: int) -> None:
    call, (x,) = linear(np.random.default_rng(seed))
    a = call.attributes
    try:
        OPERATOR.kernel(call, "scalar")
    except UnsupportedError:
        return
    products = np.array(
        [[sum((int(p) - a["input_zero_point"]) * int(w) for p, w in zip(row, column)) for column in a["weight"]] for row in x]
    )
    assert (OPERATOR.reference(call, [x])[0] == finish(products + a["bias"], call)).all()


def call_of(shape: tuple[int, ...], weight: np.ndarray) -> Call:
    outputs = weight.shape[0]
    attributes = {
        "weight": weight,
        "bias": np.zeros(outputs),
        "multiplier": np.full(outputs, 2**30),
        "shift": np.full(outputs, -4),
    }
    attributes |= {"input_zero_point": 0, "output_zero_point": 0, "activation_min": -128, "activation_max": 127}
    return Call("linear", (int8_tensor(shape),), (int8_tensor((*shape[:-1], outputs)),), attributes)


def test_one_row_and_several_have_their_kernels() -> None:
    weight = np.ones((5, 7), np.int8)
    assert OPERATOR.kernel(call_of((1, 7), weight), "mve") == "linear_s8"
    assert OPERATOR.kernel(call_of((7,), weight), "mve") == "linear_s8"
    assert OPERATOR.kernel(call_of((2, 3, 7), weight), "mve") == "conv2d_1x1_s8"


def test_weights_lie_as_each_tier_reads_them() -> None:
    weight = np.arange(1, 21, dtype=np.int8).reshape(4, 5)
    channels = Channels.of(call_of((1, 5), weight), weight)
    assert list(four_records(channels, "scalar")[36:44]) == [129, 144, 139, 134, 130, 145, 140, 135]
    assert list(four_records(channels, "dsp")[36:44]) == [129, 6, 131, 8, 139, 16, 141, 18]
    assert list(four_records(channels, "dsp")[44:52]) == [130, 7, 132, 9, 140, 17, 142, 19]
    assert list(four_records(channels, "mve")[36:56]) == [1, 2, 3, 4, 5, *[0] * 11, 6, 7, 8, 9]


def test_shapes_that_do_not_fit_are_refused() -> None:
    call = call_of((1, 7), np.ones((5, 7), np.int8))
    with pytest.raises(UnsupportedError, match="does not fit"):
        OPERATOR.pack(Call("linear", (int8_tensor((1, 8)),), call.outputs, call.attributes), "scalar")


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_int16_is_int8_in_finer_steps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(-127, 128, (3, 40)).astype(np.int8)
    coarse = call_of((2, 40), weight)
    coarse.attributes["shift"][:] = -9
    fine = {**coarse.attributes, "shift": coarse.attributes["shift"] + 8, "activation_min": -32768, "activation_max": 32767}
    (x,) = (rng.integers(-128, 128, (2, 40)).astype(np.int8),)
    call = Call("linear", coarse.inputs, (TensorType((2, 3), "int16"),), fine)
    assert OPERATOR.kernel(call, "dsp") == "linear_s16" and OPERATOR.overlap_lead(call, "dsp", 0) == 0
    steps, finer = OPERATOR.reference(coarse, [x])[0], OPERATOR.reference(call, [x])[0] / 256
    assert np.abs(np.clip(finer, -128, 127) - steps).max() <= 0.51


def test_zero_points_outside_int16_are_refused() -> None:
    call = call_of((1, 7), np.ones((5, 7), np.int8))
    wide = Call("linear", call.inputs, (TensorType((1, 5), "int16"),), {**call.attributes, "output_zero_point": 2**15})
    with pytest.raises(UnsupportedError, match="outside int8 or int16"):
        OPERATOR.pack(wide, "mve")
