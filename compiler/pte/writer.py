"""Writes ExecuTorch's container: extended header, flatbuffer, one segment of constants; and checksums where it has padding.

The same contents give the same bytes. Vectors and tables that are equal are written once, which a flatbuffer's readers cannot tell.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import flatbuffers
import numpy as np

from compiler.pte.contents import Contents, KernelCall, Method, TensorValue
from runtime.schema import program_generated as schema

IDENTIFIER = b"ET12"
HEADER_MAGIC = b"eh00"
HEADER_BYTES = 32
CHECKSUM_MAGIC = b"KCRC"
CONSTANT_ALIGNMENT = 16
SEGMENT_ALIGNMENT = 128
OVERLOAD = "out"


def pte_bytes(contents: Contents) -> bytes:
    """The file. Constants lie 16-byte aligned in a segment that starts at a multiple of 128 bytes; runtime/checksums.h says what
    is in front of it."""
    segment, offsets = _constant_segment(contents.constants)
    flatbuffer = _Writer().program(contents, offsets, len(segment))
    return _with_header(flatbuffer, segment)


def _constant_segment(constants: Sequence[bytes]) -> tuple[bytes, list[int]]:
    segment, offsets = bytearray(), []
    for constant in constants:
        segment += bytes(-len(segment) % CONSTANT_ALIGNMENT)
        offsets.append(len(segment))
        segment += constant
    return bytes(segment), offsets


def _with_header(flatbuffer: bytes, segment: bytes) -> bytes:
    """Inserts the extended header behind the flatbuffer's first 8 bytes, if there is a segment, and appends that."""
    if not segment:
        return flatbuffer
    (root,) = struct.unpack_from("<I", flatbuffer)
    program_bytes = len(flatbuffer) + HEADER_BYTES
    checksum_bytes = len(CHECKSUM_MAGIC) + 4 * 3
    segment_base = -(-(program_bytes + checksum_bytes) // SEGMENT_ALIGNMENT) * SEGMENT_ALIGNMENT
    header = HEADER_MAGIC + struct.pack("<IQQQ", HEADER_BYTES, program_bytes, segment_base, len(segment))
    head = struct.pack("<I", root + HEADER_BYTES) + flatbuffer[4:8] + header
    program = head + flatbuffer[8:]
    padded_segment = bytes(segment_base - program_bytes - checksum_bytes) + segment
    checksums = CHECKSUM_MAGIC + struct.pack("<3I", 2, zlib.crc32(program), zlib.crc32(padded_segment))
    return program + checksums + padded_segment


class _Writer:
    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(4096)
        self.written: dict[Any, int] = {}

    def program(self, contents: Contents, offsets: Sequence[int], segment_bytes: int) -> bytes:
        nothing = self._offsets([])
        plans = self._offsets([self._plan(method, nothing) for method in contents.methods])
        segments = [self._table("DataSegment", Size=segment_bytes)] if segment_bytes else []
        # Entry 0 is reserved: buffer number 0 means that a tensor has none.
        constant_segment = self._table("SubsegmentOffsets", Offsets=self._numbers([0, *offsets], np.uint64))
        root = self._table(
            "Program",
            ExecutionPlan=plans,
            ConstantBuffer=nothing,
            BackendDelegateData=nothing,
            Segments=self._offsets(segments),
            ConstantSegment=constant_segment,
            MutableDataSegments=nothing,
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

    def _instruction(self, call: KernelCall) -> int:
        # The last output comes twice: it is also what the operator returns.
        arguments = self._numbers([*call.arguments, call.arguments[-1]], np.int32)
        table = self._table("KernelCall", OpIndex=call.operator, Args=arguments)
        return self._table("Instruction", InstrArgsType=schema.InstructionArguments.KernelCall, InstrArgs=table)

    def _value(self, value: TensorValue) -> int:
        fields = {
            "ScalarType": int(value.scalar_type),
            "Sizes": self._numbers(value.sizes, np.int32),
            "DimOrder": self._numbers(range(len(value.sizes)), np.uint8),
        }
        if value.constant is not None:
            fields["DataBufferIdx"] = value.constant + 1
        else:
            fields["AllocationInfo"] = self._table("AllocationDetails", MemoryId=value.memory + 1, MemoryOffsetLow=value.offset)
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
