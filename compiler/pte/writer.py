"""Writes ExecuTorch's container: extended header, flatbuffer, segments of constants and of first values; and checksums where it
has padding.

The same contents give the same bytes. Vectors and tables that are equal are written once, which a flatbuffer's readers cannot tell.
"""

import dataclasses
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import flatbuffers
import numpy as np

from compiler.pte.contents import BoolValue, Contents, Free, JumpFalse, KernelCall, Method, Move, TensorValue
from runtime.schema import program_generated as schema

IDENTIFIER = b"ET12"
HEADER_MAGIC = b"eh00"
HEADER_BYTES = 32
CHECKSUM_MAGIC = b"KCRC"
ITEM_ALIGNMENT = 16
SEGMENT_ALIGNMENT = 128
OVERLOAD = "out"


def pte_bytes(contents: Contents) -> bytes:
    """The file. Constants lie 16-byte aligned in a segment that starts at a multiple of 128 bytes, first values of what lasts from
    run to run in a second one; runtime/checksums.h says what is in front of them."""
    parts = [_segment(contents.constants), _segment(contents.first_values)]
    flatbuffer = _Writer().program(contents, parts)
    return _with_header(flatbuffer, [part.data for part in parts if part.data])


@dataclasses.dataclass(frozen=True)
class _Segment:
    data: bytes
    offsets: tuple[int, ...]  # where each of its items begins


def _segment(items: Sequence[bytes]) -> _Segment:
    segment, offsets = bytearray(), []
    for item in items:
        segment += bytes(-len(segment) % ITEM_ALIGNMENT)
        offsets.append(len(segment))
        segment += item
    return _Segment(bytes(segment), tuple(offsets))


def _aligned(offset: int) -> int:
    return -(-offset // SEGMENT_ALIGNMENT) * SEGMENT_ALIGNMENT


def _with_header(flatbuffer: bytes, segments: Sequence[bytes]) -> bytes:
    """Inserts the extended header behind the flatbuffer's first 8 bytes, if there are segments, and appends those."""
    if not segments:
        return flatbuffer
    (root,) = struct.unpack_from("<I", flatbuffer)
    program_bytes = len(flatbuffer) + HEADER_BYTES
    checksum_bytes = len(CHECKSUM_MAGIC) + 4 * (2 + len(segments))
    segment_base = _aligned(program_bytes + checksum_bytes)
    padded = [bytes(segment_base - program_bytes - checksum_bytes) + segments[0]]
    padded += [bytes(_aligned(len(before)) - len(before)) + segment for before, segment in zip(segments, segments[1:])]
    segment_bytes = sum(map(len, padded)) - (segment_base - program_bytes - checksum_bytes)
    header = HEADER_MAGIC + struct.pack("<IQQQ", HEADER_BYTES, program_bytes, segment_base, segment_bytes)
    program = struct.pack("<I", root + HEADER_BYTES) + flatbuffer[4:8] + header + flatbuffer[8:]
    checksums = CHECKSUM_MAGIC + struct.pack(f"<{2 + len(padded)}I", 1 + len(padded), *map(zlib.crc32, (program, *padded)))
    return program + checksums + b"".join(padded)


class _Writer:
    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(4096)
        self.written: dict[Any, int] = {}

    def program(self, contents: Contents, parts: Sequence[_Segment]) -> bytes:
        """`parts`: constants, first values. Those that are empty are left out of the file."""
        nothing = self._offsets([])
        plans = self._offsets([self._plan(method, nothing) for method in contents.methods])
        subsegments, segments, offset = [], [], 0
        for part in parts:
            # Entry 0 is reserved: buffer number 0 means that a tensor has none.
            offsets = self._numbers([0, *part.offsets], np.uint64)
            subsegments.append(self._table("SubsegmentOffsets", SegmentIndex=len(segments), Offsets=offsets))
            if part.data:
                segments.append(self._table("DataSegment", Offset=offset, Size=len(part.data)))
                offset = _aligned(offset + len(part.data))
        constant_segment, first_values = subsegments
        root = self._table(
            "Program",
            ExecutionPlan=plans,
            ConstantBuffer=nothing,
            BackendDelegateData=nothing,
            Segments=self._offsets(segments),
            ConstantSegment=constant_segment,
            MutableDataSegments=self._offsets([first_values]) if parts[1].data else nothing,
            NamedData=nothing,
        )
        self.builder.Finish(root, IDENTIFIER)
        return bytes(self.builder.Output())

    def _plan(self, method: Method, nothing: int) -> int:
        inputs = self._numbers(method.inputs, np.int32)
        outputs = self._numbers(method.outputs, np.int32)
        instructions = self._offsets([self._instruction(call) for call in method.calls])
        chain = self._table("Chain", Inputs=inputs, Outputs=outputs, Instructions=instructions)
        operators = [
            self._table("Operator", Name=self._string(name), Overload=self._string(OVERLOAD)) for name in method.operators
        ]
        return self._table(
            "ExecutionPlan",
            Name=self._string(method.name),
            Values=self._offsets([self._value(value) for value in method.values]),
            Inputs=inputs,
            Outputs=outputs,
            Chains=self._offsets([chain]),
            Operators=self._offsets(operators),
            Delegates=nothing,
            NonConstBufferSizes=self._numbers([0, *method.memory_bytes], np.int64),
        )

    def _instruction(self, call: KernelCall | Move | JumpFalse | Free) -> int:
        match call:
            case KernelCall(operator, arguments):
                # The last output comes twice: it is also what the operator returns.
                args = self._numbers([*arguments, arguments[-1]], np.int32)
                kind, fields = "KernelCall", {"OpIndex": operator, "Args": args}
            case Move(source, target):
                kind, fields = "MoveCall", {"MoveFrom": source, "MoveTo": target}
            case JumpFalse(condition, destination):
                kind, fields = "JumpFalseCall", {"CondValueIndex": condition, "DestinationInstruction": destination}
            case Free(value):
                kind, fields = "FreeCall", {"ValueIndex": value}
        type_ = getattr(schema.InstructionArguments, kind)
        return self._table("Instruction", InstrArgsType=type_, InstrArgs=self._table(kind, **fields))

    def _value(self, value: TensorValue | BoolValue) -> int:
        if isinstance(value, BoolValue):
            return self._table("EValue", ValType=schema.KernelTypes.Bool, Val=self._table("Bool", BoolVal=value.value))
        fields = {
            "ScalarType": int(value.scalar_type),
            "Sizes": self._numbers(value.sizes, np.int32),
            "DimOrder": self._numbers(range(len(value.sizes)), np.uint8),
        }
        if value.constant is not None:
            fields["DataBufferIdx"] = value.constant + 1
        else:
            fields["AllocationInfo"] = self._table("AllocationDetails", MemoryId=value.memory + 1, MemoryOffsetLow=value.offset)
            if value.first is not None:
                fields["DataBufferIdx"] = value.first + 1
        tensor = self._table("Tensor", **fields)
        return self._table("EValue", ValType=schema.KernelTypes.Tensor, Val=tensor)

    def _once(self, key: Any, write: Any) -> int:
        if key not in self.written:
            self.written[key] = write()
        return self.written[key]

    def _table(self, table: str, **fields: int) -> int:
        """A table of the schema; fields by their names in flatc's code, in the order given."""

        def write() -> int:
            getattr(schema, f"{table}Start")(self.builder)
            for name, value in fields.items():
                getattr(schema, f"{table}Add{name}")(self.builder, value)
            return getattr(schema, f"{table}End")(self.builder)

        return self._once((table, tuple(fields.items())), write)

    def _numbers(self, values: Sequence[int], dtype: type) -> int:
        array = np.array(list(values), dtype)
        return self._once((dtype, array.tobytes()), lambda: self.builder.CreateNumpyVector(array))

    def _offsets(self, offsets: Sequence[int]) -> int:
        def write() -> int:
            self.builder.StartVector(4, len(offsets), 4)
            for offset in reversed(offsets):
                self.builder.PrependUOffsetTRelative(offset)
            return self.builder.EndVector()

        return self._once(("offsets", tuple(offsets)), write)

    def _string(self, text: str) -> int:
        return self.builder.CreateSharedString(text)
