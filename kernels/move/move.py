"""Operators that move data and compute nothing: copy, pad, concat, take. Input and output share scale and zero point.

    copy     the output's elements, in order of its axes, are those of the input from `input_offset` on, `input_steps` apart
             Attributes: input_offset; input_steps, one per axis of the output, in elements; 0 repeats, a negative one reverses.
             Serves permute, slice, expand, flip and upsampling by whole factors.
    pad      Attributes: before (one per axis; the shapes say what comes after), value (a number of the tensors' dtype).
    concat   Attribute: axis. Two to four inputs.
    take     y[i, j, ...] = x[indices[0][i], indices[1][j], ...]
             Attribute: indices, per axis a tuple of ints or None for the whole axis.

All are for elements of any size, pad for one, two or four bytes; of larger ones the kernels copy runs of bytes.

Kernels: copy_s8, pad_s8, concat_2_s8, concat_3_s8, concat_4_s8, take_s8
"""

import dataclasses
import math
import struct
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

_BLOCK = (
    Field("rank", "std::uint32_t", "axes of the block, 2 to 8"),
    Field("input_bytes", "std::uint32_t", ""),
    Field("output_bytes", "std::uint32_t", ""),
    Field("input_offset", "std::uint32_t", "bytes from the input's start to the block's first"),
    Field("output_offset", "std::uint32_t", "likewise of the output"),
)
_AXES = (Array("axes", "std::int32_t", "[rank][3]: size, input step, output step (bytes); the outermost first."),)

COPY_PARAMS = ParamsStruct("CopyParams", "A block of the input that becomes the output.", _BLOCK, _AXES)

PAD_PARAMS = ParamsStruct(
    "PadParams",
    "An input that becomes a block of the output.",
    (*_BLOCK, Field("pattern", "std::uint32_t", "four bytes that repeat outside the block: elements of one, two or four bytes")),
    _AXES,
)

CONCAT_PARAMS = ParamsStruct(
    "ConcatParams",
    "Inputs [outer][run k] side by side.",
    (Field("outer", "std::uint32_t", ""),),
    (Array("runs", "std::uint32_t", "[inputs]: bytes."),),
)

TAKE_PARAMS = ParamsStruct(
    "TakeParams",
    "Pixels from anywhere in the input: output [rows][columns][run_bytes].",
    (
        Field("input_bytes", "std::uint32_t", ""),
        Field("rows", "std::uint32_t", ""),
        Field("columns", "std::uint32_t", ""),
        Field("run_bytes", "std::uint32_t", ""),
    ),
    (
        Array("row_offsets", "std::uint32_t", "[rows]: bytes."),
        Array("column_offsets", "std::uint32_t", "[columns]: bytes from the row's."),
    ),
)

PARAMS = (COPY_PARAMS, PAD_PARAMS, CONCAT_PARAMS, TAKE_PARAMS)

LARGEST_CONCAT = 4


def _kernel(name: str, params: ParamsStruct, inputs: int = 1) -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",) * inputs, params.name, False, ("std::int8_t",), "kernels/move/move.h", any_dtype=True)


KERNELS = (
    _kernel("copy_s8", COPY_PARAMS),
    _kernel("pad_s8", PAD_PARAMS),
    *(_kernel(f"concat_{n}_s8", CONCAT_PARAMS, n) for n in range(2, LARGEST_CONCAT + 1)),
    _kernel("take_s8", TAKE_PARAMS),
)

_MOST_AXES = 8  # of a block: kMostAxes of block.h

# From here on runs of neighbouring bytes are copied as such; shorter ones byte by byte along the longest axis.
_SHORTEST_RUN = 4


@dataclasses.dataclass(frozen=True)
class Axis:
    """Of a block: its size, and the bytes between neighbours on either side."""

    size: int
    input_step: int
    output_step: int


def contiguous_steps(shape: Sequence[int]) -> tuple[int, ...]:
    """Elements between neighbours along each axis, rows of the last axis lying together."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def block_axes(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The same block with as few axes as possible, two at least, in the order in which it is best copied.

    Raises UnsupportedError where these are more than kernels copy.
    """
    merged: list[Axis] = []
    for axis in axes:
        if axis.size == 1:
            continue
        outer = merged[-1] if merged else None
        if outer and outer.input_step == axis.size * axis.input_step and outer.output_step == axis.size * axis.output_step:
            merged[-1] = dataclasses.replace(axis, size=outer.size * axis.size)
        else:
            merged.append(axis)
    if len(merged) > _MOST_AXES:
        raise UnsupportedError(f"a block of {len(merged)} axes that do not lie together, more than {_MOST_AXES}, cannot be copied")
    is_run = bool(merged) and merged[-1].input_step == merged[-1].output_step == 1 and merged[-1].size >= _SHORTEST_RUN
    if merged and not is_run:
        longest = max(range(len(merged)), key=lambda i: merged[i].size)
        merged.append(merged.pop(longest))
    return (Axis(1, 0, 0),) * (2 - len(merged)) + tuple(merged)


def copy_lead(axes: Sequence[Axis], input_offset: int) -> int:
    """The overlap lead of a kernel that copies this block byte by byte, in order, to an output that starts at its offset 0."""
    reads, writes = np.array([input_offset], np.int64), np.zeros(1, np.int64)
    for axis in axes:
        positions = np.arange(axis.size)
        reads = (reads[:, None] + positions * axis.input_step).reshape(-1)
        writes = (writes[:, None] + positions * axis.output_step).reshape(-1)
    return _lead(reads, writes)


def _lead(reads: np.ndarray, writes: np.ndarray) -> int:
    """For byte i, read at reads[i] and then written at writes[i]: no write may come to a byte that is still to be read."""
    still_read = np.minimum.accumulate(reads[::-1])[::-1]
    return max(0, int((writes[:-1] + 1 - still_read[1:]).max(initial=0)))


def _itemsize(call: Call) -> int:
    """Bytes of an element. Raises UnsupportedError where inputs and output differ in dtype or are empty."""
    tensors = (*call.inputs, *call.outputs)
    if any(tensor.dtype != tensors[0].dtype for tensor in tensors):
        raise UnsupportedError(f"{call.operator} needs one dtype, not {', '.join(tensor.dtype for tensor in tensors)}")
    if any(not 0 < tensor.nbytes < 2**31 for tensor in tensors):
        raise UnsupportedError(f"{call.operator}: a tensor is empty or has 2 GiB or more")
    return np.dtype(tensors[0].dtype).itemsize


def _axes_bytes(axes: Sequence[Axis]) -> bytes:
    return b"".join(struct.pack("<3i", axis.size, axis.input_step, axis.output_step) for axis in axes)


class _Move:
    name: str

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def macs(self, call: Call) -> int:
        return 0


class Copy(_Move):
    name = "copy"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._block(call)
        return "copy_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        axes, offset = self._block(call)
        values = {
            "rank": len(axes),
            "input_bytes": call.inputs[0].nbytes,
            "output_bytes": call.outputs[0].nbytes,
            "input_offset": offset,
            "output_offset": 0,
        }
        return COPY_PARAMS.pack(values, {"axes": _axes_bytes(axes)})

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return copy_lead(*self._block(call))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        positions = np.array(call.attributes["input_offset"])
        for size, step in zip(call.outputs[0].shape, call.attributes["input_steps"]):
            positions = positions[..., None] + np.arange(size) * step
        return [inputs[0].reshape(-1)[positions]]

    @staticmethod
    def _block(call: Call) -> tuple[tuple[Axis, ...], int]:
        """The block's axes, and its offset in the input, in bytes."""
        itemsize, shape = _itemsize(call), call.outputs[0].shape
        offset, steps = call.attributes["input_offset"], call.attributes["input_steps"]
        if len(steps) != len(shape):
            raise UnsupportedError(f"copy: {len(steps)} steps for {len(shape)} axes")
        reaches = [(size - 1) * step for size, step in zip(shape, steps)]
        first, last = offset + sum(min(reach, 0) for reach in reaches), offset + sum(max(reach, 0) for reach in reaches)
        if first < 0 or last >= math.prod(call.inputs[0].shape):
            raise UnsupportedError(f"copy: reads elements {first} to {last} of {math.prod(call.inputs[0].shape)}")
        axes = [
            Axis(size, step * itemsize, output_step * itemsize)
            for size, step, output_step in zip(shape, steps, contiguous_steps(shape))
        ]
        return block_axes([*axes, Axis(itemsize, 1, 1)]), offset * itemsize


class Pad(_Move):
    name = "pad"

    def kernel(self, call: Call, tier: Tier) -> str:
        before, source, result = call.attributes["before"], call.inputs[0].shape, call.outputs[0].shape
        if not len(before) == len(source) == len(result):
            raise UnsupportedError("pad: ranks differ")
        if any(b < 0 or b + s > r for b, s, r in zip(before, source, result)):
            raise UnsupportedError(f"pad: {list(source)} behind {list(before)} does not fit in {list(result)}")
        self._pattern(call)
        self._axes(call)
        return "pad_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        axes, steps = self._axes(call), contiguous_steps(call.outputs[0].shape)
        values = {
            "rank": len(axes),
            "input_bytes": call.inputs[0].nbytes,
            "output_bytes": call.outputs[0].nbytes,
            "input_offset": 0,
            "output_offset": sum(before * step for before, step in zip(call.attributes["before"], steps)) * _itemsize(call),
            "pattern": self._pattern(call),
        }
        return PAD_PARAMS.pack(values, {"axes": _axes_bytes(axes)})

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return None

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        before, (source,), result = call.attributes["before"], inputs, call.outputs[0].shape
        widths = [(b, r - b - s) for b, s, r in zip(before, source.shape, result)]
        return [np.pad(source, widths, constant_values=call.attributes["value"])]

    @staticmethod
    def _axes(call: Call) -> tuple[Axis, ...]:
        """Of the input, in the output."""
        source, itemsize = call.inputs[0].shape, _itemsize(call)
        steps = zip(source, contiguous_steps(source), contiguous_steps(call.outputs[0].shape))
        return block_axes([*(Axis(size, itemsize * i, itemsize * o) for size, i, o in steps), Axis(itemsize, 1, 1)])

    @staticmethod
    def _pattern(call: Call) -> int:
        """The value's bytes, as often as they fit in four. Raises UnsupportedError where there is none."""
        itemsize, dtype = _itemsize(call), np.dtype(call.inputs[0].dtype)
        if itemsize not in (1, 2, 4):
            raise UnsupportedError(f"pad of elements of {itemsize} bytes, not 1, 2 or 4")
        value = call.attributes["value"]
        if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise UnsupportedError(f"pad: the value is outside {dtype}")
        return int.from_bytes(np.array(value, dtype.newbyteorder("<")).tobytes() * (4 // itemsize), "little")


class Concat(_Move):
    name = "concat"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._runs(call)
        return f"concat_{len(call.inputs)}_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        outer, runs = self._runs(call)
        return CONCAT_PARAMS.pack({"outer": outer}, {"runs": struct.pack(f"<{len(runs)}I", *runs)})

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """Of the output's runs, input k's follow those of the inputs before it, and are read just before they are written."""
        outer, runs = self._runs(call)
        rows, width, run = np.arange(outer), sum(runs), runs[input_index]
        start = sum(runs[:input_index])
        before = rows * width + start - rows * run  # until a run is read, all that is before it is written
        after = (rows[:-1] + 1) * width - (rows[:-1] + 1) * run
        return max(0, int(before.max()), int(after.max(initial=0)))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.concatenate(inputs, axis=call.attributes["axis"])]

    @staticmethod
    def _runs(call: Call) -> tuple[int, tuple[int, ...]]:
        axis, result, itemsize = call.attributes["axis"], call.outputs[0].shape, _itemsize(call)
        if not 2 <= len(call.inputs) <= LARGEST_CONCAT:
            raise UnsupportedError(f"concat of {len(call.inputs)} tensors, not 2 to {LARGEST_CONCAT}")
        shapes = [tensor.shape for tensor in call.inputs]
        if any(len(s) != len(result) or s[:axis] + s[axis + 1 :] != result[:axis] + result[axis + 1 :] for s in shapes):
            raise UnsupportedError(f"concat: shapes {', '.join(str(list(s)) for s in shapes)} do not fit {list(result)}")
        if sum(shape[axis] for shape in shapes) != result[axis]:
            raise UnsupportedError(f"concat: axis {axis} of {list(result)} is not the sum of the inputs'")
        inner = math.prod(result[axis + 1 :]) * itemsize
        return math.prod(result[:axis]), tuple(shape[axis] * inner for shape in shapes)


class Take(_Move):
    name = "take"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._offsets(call)
        return "take_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        rows, columns, run = self._offsets(call)
        values = {"input_bytes": call.inputs[0].nbytes, "rows": len(rows), "columns": len(columns), "run_bytes": run}
        tables = {"row_offsets": rows.astype("<u4").tobytes(), "column_offsets": columns.astype("<u4").tobytes()}
        return TAKE_PARAMS.pack(values, tables)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        rows, columns, run = self._offsets(call)
        reads = (rows[:, None, None] + columns[:, None] + np.arange(run)).reshape(-1)
        return _lead(reads, np.arange(len(reads)))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        result = inputs[0]
        for axis, indices in enumerate(call.attributes["indices"]):
            result = result if indices is None else np.take(result, np.array(indices), axis)
        return [result]

    @staticmethod
    def _offsets(call: Call) -> tuple[np.ndarray, np.ndarray, int]:
        """Offsets of rows and columns, and bytes of a run: the axes behind the last that is indexed."""
        itemsize, indices = _itemsize(call), call.attributes["indices"]
        source, result = call.inputs[0].shape, call.outputs[0].shape
        chosen = [range(size) if picks is None else picks for size, picks in zip(source, indices)]
        if len(indices) != len(source) or tuple(map(len, chosen)) != result:
            raise UnsupportedError(f"take: the indices do not make {list(source)} into {list(result)}")
        if any(not 0 <= index < size for size, picks in zip(source, chosen) for index in picks):
            raise UnsupportedError("take: an index is out of range")
        last = max((axis for axis, picks in enumerate(indices) if picks is not None), default=0)
        offsets = [np.array(picks, np.int64) * step * itemsize for picks, step in zip(chosen, contiguous_steps(source))]
        rows = np.zeros(1, np.int64)
        for axis in range(last):
            rows = (rows[:, None] + offsets[axis]).reshape(-1)
        return rows, offsets[last], math.prod(result[last + 1 :]) * itemsize


OPERATORS = (Copy(), Pad(), Concat(), Take())
