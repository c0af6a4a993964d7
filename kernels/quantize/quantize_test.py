"""Rounding, saturation and what is not a number."""

import numpy as np
import pytest

from kernels.operator import Call, TensorType, UnsupportedError
from kernels.quantize.quantize import OPERATORS
from kernels.testing.random_calls import int8_tensor

QUANTIZE, DEQUANTIZE = OPERATORS


def quantised(values: list[float], scale: float, zero_point: int) -> list[int]:
    x = np.array(values, np.float32)
    call = Call(
        "quantize", (TensorType(x.shape, "float32"),), (int8_tensor(x.shape),), {"scale": scale, "zero_point": zero_point}
    )
    return QUANTIZE.reference(call, [x])[0].tolist()


def test_halves_go_to_the_even_step() -> None:
    assert quantised([0.5, 1.5, 2.5, -0.5, -1.5], 1.0, 0) == [0, 2, 2, 0, -2]
    assert quantised([0.25, 0.75], 0.5, 10) == [10, 12]


def test_everything_has_a_step() -> None:
    assert quantised([np.inf, -np.inf, np.nan, 1e38, 1e-45], 0.01, 5) == [127, -128, 5, 127, 5]


def test_dequantising_is_one_product() -> None:
    call = Call("dequantize", (int8_tensor((3,)),), (TensorType((3,), "float32"),), {"scale": 0.1, "zero_point": -128})
    (result,) = DEQUANTIZE.reference(call, [np.array([-128, 0, 127], np.int8)])
    assert (
        result.tobytes()
        == np.array([0.0, np.float32(128) * np.float32(0.1), np.float32(255) * np.float32(0.1)], np.float32).tobytes()
    )


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), 1e-30])
def test_scales_out_of_range_are_refused(scale: float) -> None:
    call = Call("quantize", (TensorType((1,), "float32"),), (int8_tensor((1,)),), {"scale": scale, "zero_point": 0})
    with pytest.raises(UnsupportedError, match="scale"):
        QUANTIZE.pack(call, "scalar")
