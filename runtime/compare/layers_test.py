import struct

import numpy as np
import pytest

from runtime.compare.layers import CompareError, first_difference, read_steps


def _tensor(name: str, shape: list[int], dtype: str) -> dict:
    return {"name": name, "shape": shape, "dtype": dtype, "bytes": int(np.prod(shape)) * np.dtype(dtype).itemsize}


def _step(index: int, outputs: list[str], layer: str, source: str = "") -> dict:
    return {"index": index, "outputs": outputs, "layer": layer, "kernel": layer + "_s8", "source": source}


_PLAN = {
    "model": "three",
    "tensors": [
        _tensor("x", [1, 2, 3], "int8"),
        _tensor("low", [2], "int8"),
        _tensor("high", [2], "int8"),
        _tensor("real", [2], "float32"),
    ],
    "steps": [_step(0, ["x"], "stem", "three.py:7"), _step(1, ["low", "high"], "split"), _step(2, ["real"], "dequantize")],
}
_X, _LOW, _HIGH, _REAL = bytes([1, 2, 3, 4, 5, 6]), b"\1\2", b"\3\4", struct.pack("<2f", 0.5, 0.0)


def _file(*steps: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<2I", step, len(outputs)) + outputs for step, outputs in steps)


def _outputs(x: bytes = _X, low: bytes = _LOW, high: bytes = _HIGH, real: bytes = _REAL):
    return read_steps(_file((0, x), (1, low + high), (2, real)), _PLAN)


def test_outputs_come_in_the_order_of_the_steps_and_in_their_shape():
    outputs = _outputs()
    assert [output.tensor for output in outputs] == ["x", "low", "high", "real"]
    assert outputs[0].values.tolist() == [[[1, 2, 3], [4, 5, 6]]]
    assert outputs[3].values.tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (_file((0, _X))[:-1], "cut short"),
        (_file((0, _X)) + b"\0" * 7, "cut short"),
        (_file((3, b"")), "step 3 ran, but the plan of three has 3"),
        (_file((1, _LOW)), "step 1, split: 2 bytes of outputs, but the plan says otherwise"),
    ],
)
def test_a_file_that_is_not_of_this_plan_is_refused(data, why):
    with pytest.raises(CompareError, match=why):
        read_steps(data, _PLAN)


def test_equal_is_equal():
    assert first_difference(_outputs(), _outputs()) is None


def test_the_first_difference_names_layer_line_element_and_values():
    core = _outputs(x=bytes([1, 2, 3, 4, 251, 7]), high=b"\0\0")
    assert str(first_difference(core, _outputs())) == (
        "step 0, stem (stem_s8, three.py:7): element 4 [0, 1, 1] of x is -5 on the core, 5 on the host; 2 of 6 differ, by up to 10"
    )


def test_the_second_output_of_a_step_is_looked_at_too():
    assert str(first_difference(_outputs(high=b"\3\5"), _outputs())) == (
        "step 1, split (split_s8): element 1 [1] of high is 5 on the core, 4 on the host; 1 of 2 differ, by up to 1"
    )


def test_floats_are_equal_only_to_the_last_bit():
    nan = struct.pack("<2f", 0.5, float("nan"))
    assert first_difference(_outputs(real=nan), _outputs(real=nan)) is None
    minus_zero = first_difference(_outputs(real=struct.pack("<2f", 0.5, -0.0)), _outputs())
    assert "element 1 [1] of real is -0.0 on the core, 0.0 on the host; 1 of 2 differ" in str(minus_zero)


def test_an_output_that_the_host_lacks_is_refused():
    with pytest.raises(CompareError, match=r"the host has no real of float32\[2\]"):
        first_difference(_outputs(), _outputs()[:3])
