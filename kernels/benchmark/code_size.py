"""How much code a kernel is, by what a linker that collects garbage would keep for it."""

import collections
import io
import pathlib
from collections.abc import Iterable, Iterator

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

_CODE = (".text", ".rodata")


def _members(archive: pathlib.Path) -> Iterator[bytes]:
    """The object files of a static library (Unix's ar format: a magic of 8 bytes, then a header of 60 before each member)."""
    data, at = archive.read_bytes(), 8
    while at < len(data):
        name, size = data[at : at + 16], int(data[at + 48 : at + 58])
        if not name.startswith((b"/ ", b"// ")):
            yield data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


class Code:
    """Sections of code and constants in static libraries, and what each needs.

    Libraries of the toolchain are not counted: what a kernel takes from them (a division on M0, say) is not in the figures.
    """

    def __init__(self, archives: Iterable[pathlib.Path]) -> None:
        self._bytes: dict[tuple[int, int], int] = {}
        self._section_of: dict[str, tuple[int, int]] = {}
        self._needs: dict[tuple[int, int], set[str | tuple[int, int]]] = collections.defaultdict(set)
        objects = (ELFFile(io.BytesIO(data)) for archive in archives for data in _members(archive))
        for number, elf in enumerate(objects):
            self._add(number, elf)

    def _add(self, number: int, elf: ELFFile) -> None:
        symbols = elf.get_section_by_name(".symtab")
        for index, section in enumerate(elf.iter_sections()):
            if section.name.startswith(_CODE):
                self._bytes[number, index] = section["sh_size"]
            if isinstance(section, RelocationSection):
                for relocation in section.iter_relocations():
                    symbol = symbols.get_symbol(relocation["r_info_sym"])
                    where = symbol["st_shndx"]
                    self._needs[number, section["sh_info"]].add(symbol.name if where == "SHN_UNDEF" else (number, where))
        for symbol in symbols.iter_symbols():
            if symbol["st_info"]["bind"] != "STB_LOCAL" and isinstance(symbol["st_shndx"], int):
                self._section_of.setdefault(symbol.name, (number, symbol["st_shndx"]))

    def bytes_of(self, kernels: Iterable[str], *, checks: bool = True) -> int:
        """Bytes of these kernels together, with the checks made at load or without, each shared piece counted once.

        Raises KeyError naming a kernel that is not in the libraries.
        """
        pending: list[str | tuple[int, int]] = [
            self._mangled(prefix + kernel) for kernel in kernels for prefix in (("", "check_") if checks else ("",))
        ]
        kept: set[tuple[int, int]] = set()
        while pending:
            need = pending.pop()
            section = self._section_of.get(need) if isinstance(need, str) else need
            if section is not None and section not in kept:
                kept.add(section)
                pending += self._needs[section]
        return sum(self._bytes.get(section, 0) for section in kept)

    def _mangled(self, function: str) -> str:
        """A function's symbol: namespace kindling, any arguments."""
        prefix = f"_ZN8kindling{len(function)}{function}E"
        try:
            return next(name for name in self._section_of if name.startswith(prefix))
        except StopIteration:
            raise KeyError(f"no kernel {function} in the libraries") from None
