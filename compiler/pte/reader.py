"""Reads any .pte, ours or ExecuTorch's, into plain Python."""

import dataclasses
import struct
from typing import Any

from compiler.errors import CompileError
from compiler.pte.writer import HEADER_MAGIC, IDENTIFIER
from runtime.schema import program_generated as schema


@dataclasses.dataclass(frozen=True)
class Value:
    """`kind` is the union member ("Tensor", "Int", ...); `fields` what it holds."""

    kind: str
    fields: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Instruction:
    """`kind` is "KernelCall", "DelegateCall", ...; `operator` names what is called; arguments are indices of values."""

    kind: str
    operator: str
    arguments: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class MethodView:
    name: str
    values: tuple[Value, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[str, ...]
    delegates: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    memory_bytes: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class PteView:
    """Sizes in bytes. `segments` are (offset in the file, size); `constant_offsets` are relative to segment
    `constant_segment`, entry 0 being reserved; first values are those of what lasts from run to run."""

    file_bytes: int
    flatbuffer_bytes: int
    segments: tuple[tuple[int, int], ...]
    constant_segment: int
    constant_offsets: tuple[int, ...]
    methods: tuple[MethodView, ...]
    first_value_segment: int = 0
    first_value_offsets: tuple[int, ...] = ()  # the same of first values; none if there are none


def read_pte(file: bytes) -> PteView:
    """Raises CompileError if the file is no .pte of generation ET12."""
    if len(file) < 8 or file[4:8] != IDENTIFIER:
        raise CompileError(f"not a .pte file: its identifier is {bytes(file[4:8])!r}, not {IDENTIFIER!r}")
    flatbuffer_bytes, segment_base = len(file), 0
    if file[8:12] == HEADER_MAGIC:
        flatbuffer_bytes, segment_base = struct.unpack_from("<QQ", file, 16)
    if flatbuffer_bytes > len(file) or segment_base > len(file):
        raise CompileError(f"the .pte file is cut off: {len(file)} bytes of {max(flatbuffer_bytes, segment_base)} or more")
    try:
        return _view(file, flatbuffer_bytes, segment_base)
    except (struct.error, IndexError, TypeError, ValueError) as error:
        raise CompileError("the .pte file is damaged") from error


def _view(file: bytes, flatbuffer_bytes: int, segment_base: int) -> PteView:
    program = schema.Program.GetRootAs(bytearray(file[:flatbuffer_bytes]))
    segments = tuple(
        (segment_base + segment.Offset(), segment.Size())
        for segment in (program.Segments(i) for i in range(program.SegmentsLength()))
    )
    constants = program.ConstantSegment()
    first_values = program.MutableDataSegments(0) if program.MutableDataSegmentsLength() else None
    return PteView(
        file_bytes=len(file),
        flatbuffer_bytes=flatbuffer_bytes,
        segments=segments,
        constant_segment=constants.SegmentIndex() if constants else 0,
        constant_offsets=_vector(constants, "Offsets") if constants else (),
        methods=tuple(_method(program.ExecutionPlan(i)) for i in range(program.ExecutionPlanLength())),
        first_value_segment=first_values.SegmentIndex() if first_values else 0,
        first_value_offsets=_vector(first_values, "Offsets") if first_values else (),
    )


def _vector(table: Any, name: str) -> tuple:
    get = getattr(table, name)
    return tuple(get(i) for i in range(getattr(table, f"{name}Length")()))


def _method(plan: Any) -> MethodView:
    operators = tuple(_operator_name(operator) for operator in _vector(plan, "Operators"))
    delegates = tuple(_text(delegate.Id()) for delegate in _vector(plan, "Delegates"))
    instructions = [
        _instruction(instruction, operators, delegates)
        for chain in _vector(plan, "Chains")
        for instruction in _vector(chain, "Instructions")
    ]
    return MethodView(
        name=_text(plan.Name()),
        values=tuple(_value(value) for value in _vector(plan, "Values")),
        inputs=_vector(plan, "Inputs"),
        outputs=_vector(plan, "Outputs"),
        operators=operators,
        delegates=delegates,
        instructions=tuple(instructions),
        memory_bytes=_vector(plan, "NonConstBufferSizes")[1:],
    )


def _text(text: bytes | None) -> str:
    return (text or b"").decode()


def _operator_name(operator: Any) -> str:
    name, overload = _text(operator.Name()), _text(operator.Overload())
    return f"{name}.{overload}" if overload else name


def _member(union: type, number: int) -> str:
    return next((name for name, value in vars(union).items() if value == number), str(number))


def _cast(table: Any, schema_class: type) -> Any:
    if table is None:
        raise ValueError("a union without its value")
    view = schema_class()
    view.Init(table.Bytes, table.Pos)
    return view


def _value(value: Any) -> Value:
    kind = _member(schema.KernelTypes, value.ValType())
    table = value.Val()
    match kind:
        case "Tensor":
            fields = _tensor_fields(_cast(table, schema.Tensor))
        case "Int":
            fields = {"value": _cast(table, schema.Int).IntVal()}
        case "Bool":
            fields = {"value": bool(_cast(table, schema.Bool).BoolVal())}
        case "Double":
            fields = {"value": _cast(table, schema.Double).DoubleVal()}
        case "String":
            fields = {"value": _text(_cast(table, schema.String).StringVal())}
        case "IntList" | "DoubleList" | "BoolList" | "TensorList" | "OptionalTensorList":
            fields = {"items": _vector(_cast(table, getattr(schema, kind)), "Items")}
        case _:
            fields = {}
    return Value(kind, fields)


def _tensor_fields(tensor: Any) -> dict[str, Any]:
    allocation = tensor.AllocationInfo()
    buffer = tensor.DataBufferIdx() - 1 if tensor.DataBufferIdx() else None
    return {
        "scalar_type": tensor.ScalarType(),
        "sizes": _vector(tensor, "Sizes"),
        "dim_order": _vector(tensor, "DimOrder"),
        "constant": None if allocation else buffer,
        "first": buffer if allocation else None,
        "memory": allocation.MemoryId() - 1 if allocation else None,
        "offset": allocation.MemoryOffsetLow() | allocation.MemoryOffsetHigh() << 32 if allocation else None,
    }


def _instruction(instruction: Any, operators: tuple[str, ...], delegates: tuple[str, ...]) -> Instruction:
    kind = _member(schema.InstructionArguments, instruction.InstrArgsType())
    table = instruction.InstrArgs()
    match kind:
        case "KernelCall":
            call = _cast(table, schema.KernelCall)
            return Instruction(kind, operators[call.OpIndex()], _vector(call, "Args"))
        case "DelegateCall":
            call = _cast(table, schema.DelegateCall)
            return Instruction(kind, delegates[call.DelegateIndex()], _vector(call, "Args"))
        case "MoveCall":
            move = _cast(table, schema.MoveCall)
            return Instruction(kind, "", (move.MoveFrom(), move.MoveTo()))
        case "JumpFalseCall":
            jump = _cast(table, schema.JumpFalseCall)
            return Instruction(kind, f"to {jump.DestinationInstruction()}", (jump.CondValueIndex(),))
        case "FreeCall":
            return Instruction(kind, "", (_cast(table, schema.FreeCall).ValueIndex(),))
        case _:
            return Instruction(kind, "", ())
