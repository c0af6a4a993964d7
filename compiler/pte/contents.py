"""What a .pte holds, apart from how it is written: the part of ExecuTorch's program that Kindling makes."""

import dataclasses
import enum


class ScalarType(enum.IntEnum):
    """Element types by ExecuTorch's numbers."""

    BYTE = 0
    CHAR = 1
    SHORT = 2
    INT = 3
    LONG = 4
    HALF = 5
    FLOAT = 6
    DOUBLE = 7
    BOOL = 11

    @classmethod
    def of(cls, dtype: str) -> "ScalarType":
        """Of a NumPy dtype's name, e.g. CHAR of "int8"."""
        return _BY_DTYPE[dtype]


_BY_DTYPE = {
    "uint8": ScalarType.BYTE,
    "int8": ScalarType.CHAR,
    "int16": ScalarType.SHORT,
    "int32": ScalarType.INT,
    "float32": ScalarType.FLOAT,
}


@dataclasses.dataclass(frozen=True)
class TensorValue:
    """A contiguous tensor: either constant number `constant` (index into Contents.constants), or `offset` bytes into planned
    memory `memory`, counted from 0. Of the latter, one that lasts from run to run may have a first value, number `first`."""

    scalar_type: ScalarType
    sizes: tuple[int, ...]
    constant: int | None = None
    memory: int = 0
    offset: int = 0
    first: int | None = None  # index into Contents.first_values


@dataclasses.dataclass(frozen=True)
class KernelCall:
    """An instruction: operator number, then the values it works on, the last output once."""

    operator: int
    arguments: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class BoolValue:
    """A constant, for a jump."""

    value: bool


@dataclasses.dataclass(frozen=True)
class Move:
    """An instruction: a tensor gets the bytes of another of the same size."""

    source: int
    target: int


@dataclasses.dataclass(frozen=True)
class JumpFalse:
    """An instruction: goes on at another one if a BoolValue, or an element of a tensor of BOOL, is false."""

    condition: int
    destination: int


@dataclasses.dataclass(frozen=True)
class Free:
    """An instruction: a value is not needed any more."""

    value: int


@dataclasses.dataclass(frozen=True)
class Method:
    """inputs, outputs and arguments are indices of values; `memory_bytes` are the sizes of the planned memories."""

    name: str
    values: tuple[TensorValue | BoolValue, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[str, ...]  # "kindling::conv2d_s8"; the overload is always "out"
    calls: tuple[KernelCall | Move | JumpFalse | Free, ...]
    memory_bytes: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Contents:
    methods: tuple[Method, ...]
    constants: tuple[bytes, ...]
    first_values: tuple[bytes, ...] = ()

    def method(self, name: str) -> Method:
        return next(method for method in self.methods if method.name == name)
