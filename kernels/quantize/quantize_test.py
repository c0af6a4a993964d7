"""Rounding, saturation and what is not a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.operator import Call, TensorType, UnsupportedError
from kernels.quantize.quantize import OPERATORS
from kernels.quantize.requantize import requantize_attributes
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import int8_tensor

QUANTIZE, DEQUANTIZE, REQUANTIZE = OPERATORS


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


def requantised(x: np.ndarray, source: TensorType, result: TensorType) -> np.ndarray:
    attributes = requantize_attributes(source.scale, result.scale)
    zero_points = {"input_zero_point": source.zero_point, "output_zero_point": result.zero_point}
    call = Call("requantize", (source,), (result,), attributes | zero_points)
    assert len(REQUANTIZE.pack(call, "mve")) >= 20
    return REQUANTIZE.reference(call, [x])[0]


_DTYPES = st.sampled_from([("int16", "int8"), ("int8", "int16"), ("int16", "int16")])


@PROPERTY
@given(_DTYPES, st.floats(-14, 12.9), st.integers(-128, 127), st.integers(-128, 127))
def test_requantising_is_right_to_half_a_step_and_its_first_rounding(dtypes: tuple[str, str], exponent: float, zero: int, result_zero: int) -> None:
    source, result = TensorType((65536,), dtypes[0], 2.0**exponent, zero), TensorType((65536,), dtypes[1], 1.0, result_zero)
    info, bounds = np.iinfo(dtypes[0]), np.iinfo(dtypes[1])
    x = np.linspace(info.min, info.max, 65536).astype(dtypes[0])
    exact = np.clip((x - np.float64(zero)) * source.scale + result_zero, bounds.min, bounds.max)
    first_rounding = 2.0 ** -(requantize_attributes(source.scale, 1.0)["right_shift"] + 1)
    assert np.abs(requantised(x, source, result) - exact).max() <= 0.5 + first_rounding + 2.0**-12


def test_requantised_halves_go_away_from_zero() -> None:
    x = np.array([128, -128, 384, 127, -127, 32767, -32768], np.int16)
    assert requantised(x, TensorType((7,), "int16", 1.0), TensorType((7,), "int8", 256.0)).tolist() == [1, -1, 2, 0, 0, 127, -128]


def test_scales_too_far_apart_to_requantise_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="requantize: scale 1 is more than 8192 times scale 0.0001"):
        requantize_attributes(1.0, 1e-4)


@pytest.mark.parametrize(("source", "result"), [("int8", "int8"), ("float32", "int16"), ("int16", "int32")])
def test_requantising_other_dtypes_is_refused(source: str, result: str) -> None:
    attributes = requantize_attributes(1.0, 1.0) | {"input_zero_point": 0, "output_zero_point": 0}
    call = Call("requantize", (TensorType((1,), source),), (TensorType((1,), result),), attributes)
    with pytest.raises(UnsupportedError, match="between int16 and int8 or int16"):
        REQUANTIZE.pack(call, "scalar")


@pytest.mark.parametrize(("side", "dtype"), [("input", "int16"), ("output", "int8")])
def test_zero_points_that_the_dtype_does_not_hold_are_refused(side: str, dtype: str) -> None:
    attributes = requantize_attributes(1.0, 1.0) | {"input_zero_point": 0, "output_zero_point": 0} | {f"{side}_zero_point": 40_000}
    call = Call("requantize", (TensorType((1,), "int16"),), (TensorType((1,), "int8"),), attributes)
    with pytest.raises(UnsupportedError, match=f"the {side}'s zero point is outside {dtype}"):
        REQUANTIZE.pack(call, "scalar")
