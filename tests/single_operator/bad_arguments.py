"""Programs with one field of one tensor, or of one kernel's params, that is not as it must be; and what the runtime must say of each."""

import dataclasses
import math
import struct
from collections.abc import Iterable, Iterator

from compiler.compile import Compiled
from compiler.pte.contents import Contents, KernelCall, Method, ScalarType, TensorValue
from compiler.pte.reader import read_pte
from compiler.pte.writer import pte_bytes
from kernels.registry import KERNELS, PARAMS
from kernels.signature import KernelSignature

OK, INVALID_ARGUMENT, INVALID_TYPE = 0, 0x12, 0x13  # runtime/error.h

# Of elements as large.
_OTHER_TYPES = {
    ScalarType.BYTE: (ScalarType.CHAR, ScalarType.BOOL),
    ScalarType.CHAR: (ScalarType.BYTE, ScalarType.BOOL),
    ScalarType.SHORT: (ScalarType.HALF,),
    ScalarType.INT: (ScalarType.FLOAT,),
    ScalarType.FLOAT: (ScalarType.INT,),
}

# Fields of params that no kernel takes zeros in.
_NO_ZEROS = ("stride_height", "stride_width", "dilation_width", "kernel_height", "groups", "batches")


@dataclasses.dataclass(frozen=True)
class BadProgram:
    """`error` is what initialisation gives, at `instruction`; OK where the field means nothing to anyone."""

    what: str
    compiled: Compiled
    error: int
    instruction: int


def bad_programs(programs: Iterable[Compiled]) -> Iterator[BadProgram]:
    """Every argument and every port of a few of the programs, so that each kernel is in one of them, the smallest."""
    seen: set[str] = set()
    for compiled in sorted(programs, key=lambda compiled: len(compiled.pte)):
        contents = contents_of(compiled.pte)
        kernels = {kernel.name for kernel in _kernels(contents.methods[0])}
        if not kernels <= seen:
            seen |= kernels
            yield from _bad_versions(compiled, contents)


def contents_of(pte: bytes) -> Contents:
    """What the compiler wrote into a .pte of one method."""
    view = read_pte(pte)
    (method,) = view.methods
    base, nbytes = view.segments[view.constant_segment]
    starts = [*view.constant_offsets[1:], nbytes]
    names = [name.removesuffix(".out") for name in method.operators]
    calls = (
        KernelCall(method.operators.index(instruction.operator), instruction.arguments[:-1]) for instruction in method.instructions
    )
    return Contents(
        methods=(
            Method(
                name=method.name,
                values=tuple(_tensor(**value.fields) for value in method.values),
                inputs=method.inputs,
                outputs=method.outputs,
                operators=tuple(names),
                calls=tuple(calls),
                memory_bytes=method.memory_bytes,
            ),
        ),
        constants=tuple(pte[base + start : base + end] for start, end in zip(starts, starts[1:])),
    )


def _tensor(scalar_type: int, sizes: tuple[int, ...], constant: int | None, memory: int | None, offset: int | None, **_) -> TensorValue:
    return TensorValue(ScalarType(scalar_type), sizes, constant, memory or 0, offset or 0)


def _kernels(method: Method) -> list[KernelSignature]:
    """Of each call."""
    return [KERNELS[method.operators[call.operator].removeprefix("kindling::")] for call in method.calls]


def _bad_versions(compiled: Compiled, contents: Contents) -> Iterator[BadProgram]:
    (method,) = contents.methods

    def bad(what: str, changed: Contents, error: int, instruction: int) -> BadProgram:
        kernels = " ".join(kernel.name for kernel in _kernels(method))
        return BadProgram(f"{kernels}: {what}", dataclasses.replace(compiled, pte=pte_bytes(changed)), error, instruction)

    for index, value in enumerate(method.values):
        for change in _changes(method, index, value):
            values = method.values[:index] + (change,) + method.values[index + 1 :]
            changed = dataclasses.replace(method, values=values)
            what = f"value {index} is {change.scalar_type.name}{list(change.sizes)}, not {value.scalar_type.name}{list(value.sizes)}"
            yield bad(what, dataclasses.replace(contents, methods=(changed,)), *_expected(method, changed, index))
    for number, (call, kernel) in enumerate(zip(method.calls, _kernels(method))):
        constant = method.values[call.arguments[len(kernel.inputs)]].constant
        for field, params in _with_zeros(kernel, contents.constants[constant]):
            constants = contents.constants[:constant] + (params,) + contents.constants[constant + 1 :]
            yield bad(f"{field} of {kernel.params} is 0", dataclasses.replace(contents, constants=constants), INVALID_ARGUMENT, number)


def _changes(method: Method, index: int, value: TensorValue) -> Iterator[TensorValue]:
    """The tensor with another type, another rank, and fewer elements."""
    for scalar_type in _OTHER_TYPES[value.scalar_type]:
        yield dataclasses.replace(value, scalar_type=scalar_type)
    yield dataclasses.replace(value, sizes=(1, *value.sizes))
    if value.sizes:
        yield dataclasses.replace(value, sizes=(0, *value.sizes[1:]))
    if value.sizes and value.sizes[0] > 1:
        yield dataclasses.replace(value, sizes=(value.sizes[0] // 2, *value.sizes[1:]))


def _expected(method: Method, changed: Method, index: int) -> tuple[int, int]:
    """The error for a value that has changed, and the instruction that it is of."""
    value, before = changed.values[index], method.values[index]
    for number, (call, kernel) in enumerate(zip(changed.calls, _kernels(changed))):
        if index not in call.arguments:
            continue
        params = len(kernel.inputs)
        tensors = call.arguments[:params] + call.arguments[params + 1 + kernel.scratch :]
        rank = kernel.rank if index in tensors else 1
        if value.scalar_type != before.scalar_type and not (kernel.any_dtype and set(tensors) == {index}):
            return INVALID_TYPE, number
        if rank not in (None, len(value.sizes)) or math.prod(value.sizes) != math.prod(before.sizes):
            return INVALID_ARGUMENT, number
    if index in (*changed.inputs, *changed.outputs):
        return INVALID_TYPE if value.scalar_type != before.scalar_type else INVALID_ARGUMENT, len(changed.calls)
    return OK, 0


def _with_zeros(kernel: KernelSignature, params: bytes) -> Iterator[tuple[str, bytes]]:
    """The params constant with a zero in one field after another that may not have one."""
    struct_, offset = PARAMS[kernel.params], 0
    for field in struct_.fields_with_offsets:
        size = struct.calcsize(struct_.format_of(field))
        if field.name in _NO_ZEROS:
            yield field.name, params[:offset] + bytes(size) + params[offset + size :]
        offset += size
