"""The references of what moves data against NumPy's own operations, and what is refused."""

import numpy as np
import pytest

from kernels.move.move import OPERATORS as ALL
from kernels.move.move import Axis, block_axes, contiguous_steps
from kernels.operator import Call, TensorType, UnsupportedError

OPERATORS = {operator.name: operator for operator in ALL}


def moved(operator: str, inputs: list[np.ndarray], shape: tuple[int, ...], **attributes: object) -> np.ndarray:
    types = tuple(TensorType(x.shape, str(x.dtype)) for x in inputs)
    call = Call(operator, types, (TensorType(shape, str(inputs[0].dtype)),), attributes)
    OPERATORS[operator].kernel(call, "scalar")
    (result,) = OPERATORS[operator].reference(call, inputs)
    assert result.shape == shape and result.dtype == inputs[0].dtype
    return result


IMAGE = np.arange(2 * 3 * 4 * 5, dtype=np.int8).reshape(2, 3, 4, 5)


def test_copy_permutes_slices_repeats_and_reverses() -> None:
    n, h, w, c = contiguous_steps(IMAGE.shape)
    assert (n, h, w, c) == (60, 20, 5, 1)
    permuted = moved("copy", [IMAGE], (2, 5, 3, 4), input_offset=0, input_steps=(n, c, h, w))
    assert np.array_equal(permuted, IMAGE.transpose(0, 3, 1, 2))
    part = moved("copy", [IMAGE], (2, 1, 2, 5), input_offset=h + w, input_steps=(n, h, 2 * w, c))
    assert np.array_equal(part, IMAGE[:, 1:2, 1::2])
    doubled = moved("copy", [IMAGE], (2, 3, 2, 4, 2, 5), input_offset=0, input_steps=(n, h, 0, w, 0, c))
    assert np.array_equal(doubled.reshape(2, 6, 8, 5), IMAGE.repeat(2, 1).repeat(2, 2))
    reversed_ = moved("copy", [IMAGE], IMAGE.shape, input_offset=3 * w, input_steps=(n, h, -w, c))
    assert np.array_equal(reversed_, IMAGE[:, :, ::-1])


def test_pad_concat_and_take() -> None:
    padded = moved("pad", [IMAGE], (2, 5, 4, 7), before=(0, 2, 0, 1), value=-9)
    expected = np.full((2, 5, 4, 7), -9, np.int8)
    expected[:, 2:, :, 1:6] = IMAGE
    assert np.array_equal(padded, expected)
    joined = moved("concat", [IMAGE, IMAGE[:, :, :, :2]], (2, 3, 4, 7), axis=3)
    assert np.array_equal(joined[..., :5], IMAGE) and np.array_equal(joined[..., 5:], IMAGE[..., :2])
    taken = moved("take", [IMAGE], (2, 2, 3, 5), indices=(None, (2, 0), (3, 3, 1), None))
    assert np.array_equal(taken, IMAGE[:, [2, 0]][:, :, [3, 3, 1]])


def test_axes_that_lie_together_are_one_and_short_runs_are_copied_along_the_longest_axis() -> None:
    assert block_axes([Axis(2, 60, 60), Axis(1, 7, 7), Axis(3, 20, 20), Axis(20, 1, 1)]) == (Axis(1, 0, 0), Axis(120, 1, 1))
    assert block_axes([Axis(9, 10, 4), Axis(4, 1, 1)]) == (Axis(9, 10, 4), Axis(4, 1, 1))
    assert block_axes([Axis(9, 10, 2), Axis(2, 1, 1)]) == (Axis(2, 1, 1), Axis(9, 10, 2))
    assert block_axes([Axis(1, 1, 1)]) == (Axis(1, 0, 0), Axis(1, 0, 0))


@pytest.mark.parametrize(
    "operator, shapes, attributes, reason",
    [
        ("copy", [(4,), (4,)], {"input_offset": 1, "input_steps": (1,)}, "reads elements 1 to 4 of 4"),
        ("copy", [(4,), (2,)], {"input_offset": 0, "input_steps": (-1,)}, "reads elements -1 to 0"),
        ("copy", [(2,) * 9, (2,) * 9], {"input_offset": 0, "input_steps": contiguous_steps((2,) * 9)[::-1]}, "9 axes .* more than 8"),
        ("pad", [(2,) * 9, (3,) * 9], {"before": (0,) * 9, "value": 0}, "9 axes .* more than 8"),
        ("pad", [(4,), (5,)], {"before": (2,), "value": 0}, "does not fit"),
        ("pad", [(4,), (6,)], {"before": (2,), "value": 128}, "outside int8"),
        ("concat", [(4,), (4,), (9,)], {"axis": 0}, "not the sum"),
        ("concat", [(4, 2), (4, 3), (8, 2)], {"axis": 0}, "do not fit"),
        ("take", [(4,), (2,)], {"indices": ((0, 4),)}, "out of range"),
        ("take", [(4,), (2,)], {"indices": ((0, 1, 2),)}, "do not make"),
    ],
)
def test_what_does_not_fit_is_refused(operator: str, shapes: list, attributes: dict, reason: str) -> None:
    *inputs, output = (TensorType(shape, "int8") for shape in shapes)
    with pytest.raises(UnsupportedError, match=reason):
        OPERATORS[operator].pack(Call(operator, tuple(inputs), (output,), attributes), "scalar")


def test_dtypes_must_be_one() -> None:
    call = Call("copy", (TensorType((4,), "int8"),), (TensorType((4,), "int32"),), {"input_offset": 0, "input_steps": (1,)})
    with pytest.raises(UnsupportedError, match="one dtype, not int8, int32"):
        OPERATORS["copy"].kernel(call, "mve")
