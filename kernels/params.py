"""Parameter structs: declared once here, packed for the .pte and printed as C++.

A params constant is a little-endian struct followed by arrays. In C++ an array is reached through a method of the
struct that adds the array's offset (bytes from the start of the struct, a multiple of 16) to `this`.
"""

import dataclasses
import struct
from collections.abc import Mapping, Sequence

ARRAY_ALIGNMENT = 16

_FORMATS = {
    "std::int8_t": "b",
    "std::uint8_t": "B",
    "std::int16_t": "h",
    "std::uint16_t": "H",
    "std::int32_t": "i",
    "std::uint32_t": "I",
    "float": "f",
}


@dataclasses.dataclass(frozen=True)
class Field:
    """A number in the struct. The struct has no padding: order fields so that each is aligned to its own size."""

    name: str
    ctype: str
    doc: str


@dataclasses.dataclass(frozen=True)
class Array:
    """An array behind the struct, which holds its offset as a std::uint32_t."""

    name: str
    ctype: str
    doc: str

    @property
    def offset_field(self) -> Field:
        return Field(f"{self.name}_offset", "std::uint32_t", "")


@dataclasses.dataclass(frozen=True)
class ParamsStruct:
    """The declaration of one operator's parameters. Raises ValueError if a field is not aligned to its size."""

    name: str
    doc: str
    fields: Sequence[Field]
    arrays: Sequence[Array] = ()

    def __post_init__(self) -> None:
        offset = 0
        for field in self.fields_with_offsets:
            size = struct.calcsize(_FORMATS[field.ctype])
            if offset % size:
                raise ValueError(f"{self.name}.{field.name} is at byte {offset}, not a multiple of its size {size}")
            offset += size
        if offset % 4:
            raise ValueError(f"{self.name} has {offset} bytes, not a multiple of 4")

    @property
    def fields_with_offsets(self) -> list[Field]:
        return [array.offset_field for array in self.arrays] + list(self.fields)

    @property
    def nbytes(self) -> int:
        return sum(struct.calcsize(_FORMATS[field.ctype]) for field in self.fields_with_offsets)

    @staticmethod
    def format_of(field: Field) -> str:
        """Of Python's struct module."""
        return _FORMATS[field.ctype]

    def pack(self, values: Mapping[str, float], arrays: Mapping[str, bytes] | None = None) -> bytes:
        """The constant's bytes. Raises ValueError naming the field if a value is missing, extra or out of its type's range."""
        arrays = arrays or {}
        given, declared = set(values) | set(arrays), {entry.name for entry in (*self.fields, *self.arrays)}
        if given != declared:
            raise ValueError(f"{self.name}: {', '.join(sorted(given ^ declared))} missing or unknown")
        offsets, tail = {}, bytearray()
        for array in self.arrays:
            tail += bytes(-(self.nbytes + len(tail)) % ARRAY_ALIGNMENT)
            offsets[array.offset_field.name] = self.nbytes + len(tail)
            tail += arrays[array.name]
        head = b"".join(self._pack_field(field, (offsets | dict(values))[field.name]) for field in self.fields_with_offsets)
        return head + bytes(tail)

    def _pack_field(self, field: Field, value: float) -> bytes:
        try:
            return struct.pack("<" + _FORMATS[field.ctype], value)
        except struct.error as error:
            raise ValueError(f"{self.name}.{field.name} cannot be {value}") from error

    def unpack(self, params: bytes) -> dict[str, float]:
        """The struct's numbers by field name, offsets included; for tests and tools."""
        layout = "<" + "".join(_FORMATS[field.ctype] for field in self.fields_with_offsets)
        names = [field.name for field in self.fields_with_offsets]
        return dict(zip(names, struct.unpack_from(layout, params)))

    def cpp(self) -> str:
        """The struct's C++ definition."""
        lines = [f"/// {line}".rstrip() for line in self.doc.splitlines()]
        lines += [f"struct {self.name} {{"]
        lines += [
            f"  {field.ctype} {field.name};" + (f"  ///< {field.doc}" if field.doc else "")
            for field in self.fields_with_offsets
        ]
        for array in self.arrays:
            lines += [
                "",
                f"  /// {array.doc}",
                f"  const {array.ctype}* {array.name}() const {{",
                f"    return reinterpret_cast<const {array.ctype}*>(reinterpret_cast<const char*>(this) + {array.offset_field.name});",
                "  }",
            ]
        lines += ["};", f"static_assert(sizeof({self.name}) == {self.nbytes});"]
        return "\n".join(lines) + "\n"


def cpp_header(structs: Sequence[ParamsStruct]) -> str:
    """A header with the definitions of `structs`."""
    definitions = "\n".join(declaration.cpp() for declaration in structs)
    return (
        "// Generated from the operator's Python description; do not edit.\n#pragma once\n\n#include <cstdint>\n\n"
        f"namespace kindling {{\n\n{definitions}\n}}  // namespace kindling\n"
    )
