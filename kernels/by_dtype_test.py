"""An operator on float32 and on int8 is one operator with two descriptions."""

import pytest

from kernels.operator import Call, TensorType, UnsupportedError
from kernels.registry import OPERATORS


def softmax(dtype: str) -> Call:
    tensor = TensorType((1, 4), dtype)
    return Call("softmax", (tensor,), (tensor,), {"axis": 1, "input_multiplier": 2**30, "input_shift": 20, "diff_min": -100})


def test_the_dtype_chooses_the_kernel() -> None:
    assert OPERATORS["softmax"].kernel(softmax("int8"), "mve") == "softmax_s8"
    assert OPERATORS["softmax"].kernel(softmax("float32"), "mve") == "softmax_f32"


def test_other_dtypes_are_refused_with_a_reason() -> None:
    with pytest.raises(UnsupportedError, match="softmax needs int8 input"):
        OPERATORS["softmax"].kernel(softmax("int32"), "mve")
