"""Reads and adapts x86-64 ELF files, so that programs built for one Debian run on another."""

import pathlib
import struct

from toolchains.store import ToolchainError

_NEEDED, _STRTAB, _SYMTAB = 1, 5, 6
_VERSYM, _VERNEED = 0x6FFFFFF0, 0x6FFFFFFE
_LOAD, _DYNAMIC, _DYNSYM = 1, 2, 11
_C23 = b"__isoc23_"


class Elf:
    """A dynamic ELF64 file in memory. `Elf.read` gives None for anything else."""

    def __init__(self, data: bytearray, segments: list[tuple[int, int, int, int]]):
        self.data = data
        self._loads = [(offset, address, size) for kind, offset, address, size in segments if kind == _LOAD]
        start, length = next((offset, size) for kind, offset, _, size in segments if kind == _DYNAMIC)
        self._dynamic = [struct.unpack_from("<QQ", data, at) for at in range(start, start + length, 16)]
        self._tag = dict(self._dynamic)

    @staticmethod
    def read(path: pathlib.Path) -> "Elf | None":
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02" or len(head) < 64 or struct.unpack_from("<H", head, 18) != (62,):
                return None
            data = bytearray(head + file.read())
        table, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        segments = []
        for at in range(table, table + size * count, size or 1):  # an object file has no segments
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, at)
            segments.append((kind, offset, address, length))
        return Elf(data, segments) if any(segment[0] == _DYNAMIC for segment in segments) else None

    def _offset(self, address: int) -> int:
        return next(offset + address - base for offset, base, size in self._loads if base <= address < base + size)

    def _string(self, index: int) -> bytes:
        start = self._offset(self._tag[_STRTAB]) + index
        return bytes(self.data[start : self.data.index(0, start)])

    def needed(self) -> list[str]:
        """File names of the libraries it asks for."""
        return [self._string(value).decode() for tag, value in self._dynamic if tag == _NEEDED]

    def _wanted_versions(self):
        """(place of the entry, library, symbol version, its index in the version table) of all versions it asks for."""
        at = self._offset(self._tag[_VERNEED]) if _VERNEED in self._tag else None
        while at is not None:
            _, count, library, entry, following = struct.unpack_from("<HHIII", self.data, at)
            entry += at
            for _ in range(count):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.data, entry)
                yield entry, self._string(library), self._string(name), index
                entry += step
            at = at + following if following else None

    def _symbol_count(self) -> int:
        table, = struct.unpack_from("<Q", self.data, 40)
        size, count = struct.unpack_from("<HH", self.data, 58)
        for at in range(table, table + size * count, size):
            _, kind, _, _, _, length = struct.unpack_from("<IIQQQQ", self.data, at)
            if kind == _DYNSYM:
                return length // 24
        return 0

    def ask_for_plain_strtol(self) -> bool:
        """Asks for strtol@GLIBC_2.2.5 instead of __isoc23_strtol@GLIBC_2.38 and so on, in place; whether there was any.

        The C23 names are all that GCC 14's tools want of a glibc newer than 2.36. The plain name is the tail of the C23 name,
        so moving the index into the string table is enough.
        """
        wanted = list(self._wanted_versions())
        new = [(entry, index) for entry, _, version, index in wanted if version == b"GLIBC_2.38"]
        if not new:
            return False
        plain = next(entry for entry, library, version, _ in wanted if version == b"GLIBC_2.2.5" and library == b"libc.so.6")
        symbols, versions = self._offset(self._tag[_SYMTAB]), self._offset(self._tag[_VERSYM])
        for symbol in range(self._symbol_count()):
            version, = struct.unpack_from("<H", self.data, versions + 2 * symbol)
            if version & 0x7FFF in {index for _, index in new}:
                name, = struct.unpack_from("<I", self.data, symbols + 24 * symbol)
                if not self._string(name).startswith(_C23):
                    raise ValueError(f"{self._string(name).decode()}@GLIBC_2.38 has no older form")
                struct.pack_into("<I", self.data, symbols + 24 * symbol, name + len(_C23))
        for entry, _ in new:
            self.data[entry : entry + 4] = self.data[plain : plain + 4]
            self.data[entry + 8 : entry + 12] = self.data[plain + 8 : plain + 12]
        return True


def loaded(program: pathlib.Path, libraries: pathlib.Path) -> set[str]:
    """File names of all libraries a program loads, directly or not. Raises ToolchainError unless all lie in one folder."""
    names, waiting = set(), Elf.read(program).needed()
    while waiting:
        name = waiting.pop()
        if name not in names:
            if not (libraries / name).exists():
                raise ToolchainError(f"{program.name} needs {name}, which none of its packages has: its dependencies have changed")
            names.add(name)
            waiting += Elf.read(libraries / name).needed()
    return names
