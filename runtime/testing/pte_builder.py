"""Writes small .pte files by hand, for tests of the runtime that must not depend on the compiler."""

import dataclasses
import importlib
import struct
from collections.abc import Iterable, Sequence

import flatbuffers
import numpy as np

_DTYPES = {"uint8": 0, "int8": 1, "int16": 2, "int32": 3, "float32": 6}
_KERNEL_CALL = 1  # in the unions InstructionArguments
_TENSOR = 5  # and KernelTypes
_SEGMENT_ALIGNMENT = 128
_HEADER_BYTES = 32


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A value of the method: a constant if it has `data`, else planned at `offset` of region `region`."""

    shape: tuple[int, ...]
    dtype: str = "int8"
    data: bytes | None = None
    offset: int = 0
    region: int = 0


@dataclasses.dataclass(frozen=True)
class Call:
    """An instruction: operator number `operator` on values `arguments` (the last output once)."""

    operator: int
    arguments: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Method:
    """What one ExecutionPlan says."""

    values: Sequence[Tensor]
    operators: Sequence[str]
    calls: Sequence[Call]
    inputs: Sequence[int]
    outputs: Sequence[int]
    region_bytes: Sequence[int]
    name: str = "forward"


def build_pte(method: Method) -> bytes:
    """The bytes of a .pte with this one method: extended header, flatbuffer, segment of constants."""
    builder = flatbuffers.Builder(1024)
    constants, offsets = _lay_out_constants(method.values)
    plan = _plan(builder, method)
    plans = _offset_vector(builder, [plan])
    segment = _table(builder, "DataSegment", Offset=0, Size=len(constants))
    segments = _offset_vector(builder, [segment])
    offset_vector = builder.CreateNumpyVector(_array(offsets, "uint64"))
    constant_segment = _table(builder, "SubsegmentOffsets", SegmentIndex=0, Offsets=offset_vector)
    root = _table(builder, "Program", ExecutionPlan=plans, Segments=segments, ConstantSegment=constant_segment)
    builder.Finish(root, b"ET12")
    flatbuffer = bytes(builder.Output())

    (root_offset,) = struct.unpack_from("<I", flatbuffer)
    flatbuffer_bytes = len(flatbuffer) + _HEADER_BYTES
    segment_base = -(-flatbuffer_bytes // _SEGMENT_ALIGNMENT) * _SEGMENT_ALIGNMENT
    header = struct.pack("<4sIQQQ", b"eh00", _HEADER_BYTES, flatbuffer_bytes, segment_base, len(constants))
    file = struct.pack("<I", root_offset + _HEADER_BYTES) + flatbuffer[4:8] + header + flatbuffer[8:]
    return file.ljust(segment_base, b"\0") + constants


def _plan(builder: flatbuffers.Builder, method: Method) -> int:
    next_buffer = 0
    values = []
    for tensor in method.values:
        next_buffer += tensor.data is not None
        values.append(_value(builder, tensor, next_buffer))
    operators = [_operator(builder, name) for name in method.operators]
    instructions = [_instruction(builder, call) for call in method.calls]
    chain = _table(builder, "Chain", Instructions=_offset_vector(builder, instructions))
    fields = {
        "Name": builder.CreateString(method.name),
        "Values": _offset_vector(builder, values),
        "Inputs": builder.CreateNumpyVector(_array(method.inputs, "int32")),
        "Outputs": builder.CreateNumpyVector(_array(method.outputs, "int32")),
        "Chains": _offset_vector(builder, [chain]),
        "Operators": _offset_vector(builder, operators),
        "Delegates": _offset_vector(builder, []),
        "NonConstBufferSizes": builder.CreateNumpyVector(_array([0, *method.region_bytes], "int64")),
    }
    return _table(builder, "ExecutionPlan", **fields)


def _value(builder: flatbuffers.Builder, tensor: Tensor, buffer: int) -> int:
    fields = {
        "ScalarType": _DTYPES[tensor.dtype],
        "Sizes": builder.CreateNumpyVector(_array(tensor.shape, "int32")),
        "DimOrder": builder.CreateNumpyVector(_array(range(len(tensor.shape)), "uint8")),
    }
    if tensor.data is None:
        place = {"MemoryId": tensor.region + 1, "MemoryOffsetLow": tensor.offset}
        fields["AllocationInfo"] = _table(builder, "AllocationDetails", **place)
    else:
        fields["DataBufferIdx"] = buffer
    return _table(builder, "EValue", ValType=_TENSOR, Val=_table(builder, "Tensor", **fields))


def _operator(builder: flatbuffers.Builder, name: str) -> int:
    fields = {"Name": builder.CreateString(name), "Overload": builder.CreateString("out")}
    return _table(builder, "Operator", **fields)


def _instruction(builder: flatbuffers.Builder, call: Call) -> int:
    arguments = builder.CreateNumpyVector(_array([*call.arguments, call.arguments[-1]], "int32"))
    kernel_call = _table(builder, "KernelCall", OpIndex=call.operator, Args=arguments)
    return _table(builder, "Instruction", InstrArgsType=_KERNEL_CALL, InstrArgs=kernel_call)


def _lay_out_constants(values: Sequence[Tensor]) -> tuple[bytes, list[int]]:
    constants, offsets = b"", [0]
    for data in (tensor.data for tensor in values if tensor.data is not None):
        constants = constants.ljust(-(-len(constants) // 16) * 16, b"\0")
        offsets.append(len(constants))
        constants += data
    return constants, offsets


def _table(builder: flatbuffers.Builder, kind: str, **fields: int) -> int:
    """A table of type `kind`; fields are values, or offsets of what has been built already."""
    module = importlib.import_module(f"executorch_flatbuffer.{kind}")
    getattr(module, f"{kind}Start")(builder)
    for name, value in fields.items():
        getattr(module, f"{kind}Add{name}")(builder, value)
    return getattr(module, f"{kind}End")(builder)


def _offset_vector(builder: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def _array(items: Iterable[int], dtype: str) -> np.ndarray:
    return np.array(list(items), dtype)
