"""Operators of two tensors that broadcast against each other as in NumPy: how their kernels walk through both.

Neighbouring axes are merged along which each operand moves all the way or not at all. What remains is rows of `length` elements, in
which an operand is read on or repeats one element, below at most three outer axes. Equal shapes are one row; so are a tensor and a
scalar; a tensor and its channels are rows of channels with one outer axis.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field

MAX_OUTER_AXES = 3

AXES = Array("axes", "std::uint32_t", "Per outer axis, innermost first: its size, the elements it strides in a, in b.")

ROW_FIELDS = (
    Field("length", "std::uint32_t", "elements of a row"),
    Field("outer_axes", "std::uint8_t", "3 at most"),
    Field("repeats_a", "std::uint8_t", "1: a row is computed from one element of a"),
    Field("repeats_b", "std::uint8_t", "1: from one of b"),
)
"""What all parameter structs of such operators begin with, after the array's offset."""

FIELDS = (
    *ROW_FIELDS,
    Field("activation_min", "std::int8_t", ""),
    Field("activation_max", "std::int8_t", ""),
)
"""The same of int8."""


@dataclasses.dataclass(frozen=True)
class Broadcast:
    """The rows of two operands; outer axes are (size, stride of a, stride of b), innermost first."""

    length: int
    repeats: tuple[bool, bool]
    axes: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, a: Sequence[int], b: Sequence[int]) -> "Broadcast":
        """Raises UnsupportedError where the shapes do not fit each other, or more than three outer axes remain."""
        rank = max(len(a), len(b))
        shapes = [(1,) * (rank - len(shape)) + tuple(shape) for shape in (a, b)]
        merged: list[tuple[int, tuple[bool, bool]]] = []  # sizes and which operands move, outermost first
        for sizes in zip(*shapes):
            if sizes[0] != sizes[1] and 1 not in sizes or 0 in sizes:
                raise UnsupportedError(f"shapes {list(a)} and {list(b)} do not broadcast")
            moves = (sizes[0] > 1, sizes[1] > 1)
            if merged and merged[-1][1] == moves:
                merged[-1] = (merged[-1][0] * max(sizes), moves)
            elif any(moves):
                merged.append((max(sizes), moves))
        length, moves = merged.pop() if merged else (1, (True, True))
        strides = [length if move else 1 for move in moves]
        axes = []
        for size, outer_moves in reversed(merged):
            axes.append((size, *(stride if move else 0 for stride, move in zip(strides, outer_moves))))
            strides = [stride * size if move else stride for stride, move in zip(strides, outer_moves)]
        if len(axes) > MAX_OUTER_AXES:
            raise UnsupportedError(f"shapes {list(a)} and {list(b)} broadcast along more than {MAX_OUTER_AXES + 1} axes")
        return cls(length, (not moves[0], not moves[1]), tuple(axes))

    @property
    def swapped(self) -> "Broadcast":
        """With the operands in the other order."""
        axes = tuple((size, stride_b, stride_a) for size, stride_a, stride_b in self.axes)
        return Broadcast(self.length, self.repeats[::-1], axes)

    @property
    def values(self) -> dict[str, int]:
        """For all of ROW_FIELDS."""
        return {
            "length": self.length,
            "outer_axes": len(self.axes),
            "repeats_a": self.repeats[0],
            "repeats_b": self.repeats[1],
        }

    @property
    def arrays(self) -> dict[str, bytes]:
        return {"axes": np.array(self.axes, "<u4").tobytes()}


def rows_of(call: Call) -> Broadcast:
    """Of a call's two inputs. Raises UnsupportedError naming the operator where the output's shape is not what they give."""
    a, b = (tensor.shape for tensor in call.inputs)
    try:
        rows = Broadcast.of(a, b)
    except UnsupportedError as error:
        raise UnsupportedError(f"{call.operator}: {error}") from error
    if np.broadcast_shapes(a, b) != call.outputs[0].shape:
        raise UnsupportedError(f"{call.operator}: output shape {call.outputs[0].shape} is not that of the broadcast inputs")
    return rows


def overlap_lead(call: Call, input_index: int) -> int | None:
    """An operand that repeats is still needed when the output has grown over it."""
    return 0 if call.inputs[input_index].nbytes == call.outputs[0].nbytes else None


class Binary:
    """What descriptions of such operators share: int8 tensors, clamped results."""

    name: str

    def broadcast(self, call: Call) -> Broadcast:
        """Raises UnsupportedError if types, shapes, zero points or bounds are not possible."""
        tensors = (*call.inputs, *call.outputs)
        if len(tensors) != 3 or any(tensor.dtype != "int8" for tensor in tensors):
            raise UnsupportedError(f"{self.name} needs two int8 inputs and an int8 output")
        rows = rows_of(call)
        attributes = call.attributes
        zero_points = (*attributes.get("input_zero_point", ()), attributes.get("output_zero_point", 0))
        low, high = attributes["activation_min"], attributes["activation_max"]
        if not (all(-128 <= z <= 127 for z in zero_points) and -128 <= low <= high <= 127):
            raise UnsupportedError(f"{self.name}: a zero point or activation bound is outside int8")
        return rows

    def kernel(self, call: Call, tier: Tier) -> str:
        self.pack(call, tier)
        return f"{self.name}_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        raise NotImplementedError

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return overlap_lead(call, input_index)

    def macs(self, call: Call) -> int:
        return 0


def operands(call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The inputs less their zero points, int64."""
    return [x.astype(np.int64) - zero_point for x, zero_point in zip(inputs, call.attributes["input_zero_point"])]


def finished(call: Call, steps: np.ndarray) -> list[np.ndarray]:
    """With the output's zero point, clamped; int8."""
    attributes = call.attributes
    shifted = steps + attributes["output_zero_point"]
    return [np.clip(shifted, attributes["activation_min"], attributes["activation_max"]).astype(np.int8)]
