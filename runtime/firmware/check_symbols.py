"""Refuses a firmware that holds what must not be in one: a heap, printf, exceptions, static constructors, the C++ library, kernels
nobody selected."""

import argparse
import json
import pathlib
import re
import sys

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kernels.registry import KERNELS

# Names as the linker sees them: C names, and C++ names mangled.
_FORBIDDEN = (
    (re.compile(r"^_?(malloc|calloc|realloc|reallocf?|free|memalign|aligned_alloc|posix_memalign|strn?dup|sbrk)(_r)?$"), "the heap"),
    (re.compile(r"^_Z(nw|na|dl|da)[jmPv]"), "operator new or delete"),
    (re.compile(r"^_?(v|s|vs|sn|vsn|f|vf|d|vd|as|vas|asn|vasn)?i?printf(_r|_float)?$|^_svfi?printf_r$|^f?puts$|^f?putc(har)?$|^fwrite$"), "formatted output"),
    (re.compile(r"^__cxa_(throw|begin_catch|end_catch|rethrow|allocate_exception)$|^_Unwind_|^__gxx_personality|^__(aeabi|gnu)_unwind"), "exceptions"),
    (re.compile(r"^__cxa_(atexit|guard_acquire)$|^__aeabi_atexit$|^_GLOBAL__sub_[ID]_"), "static constructors or destructors"),
    (re.compile(r"^_ZN?K?S[tabsiod]|^_ZNK?9__gnu_cxx|^_ZNK?10__cxxabiv1|^_ZT[ISV]|^__dynamic_cast$|^__cxa_pure_virtual$"), "the C++ standard library or RTTI"),
)

_FORBIDDEN_SECTIONS = {
    ".init_array": "static constructors",
    ".preinit_array": "static constructors",
    ".ctors": "static constructors",
    ".fini_array": "static destructors",
    ".dtors": "static destructors",
    # Not .ARM.exidx: libgcc's assembler says there that nothing can be unwound.
    ".ARM.extab": "tables for exceptions",
    ".eh_frame": "tables for exceptions",
}


def symbol_errors(symbols: set[str]) -> list[str]:
    """What is wrong with the defined symbols of a firmware, one line each."""
    return [f"symbol {name}: {what} must not be in a firmware" for name in sorted(symbols) for pattern, what in _FORBIDDEN if pattern.search(name)]


def section_errors(sections: dict[str, int]) -> list[str]:
    """What is wrong with the sections of a firmware, {name: bytes}, one line each."""
    return [f"section {name} is not empty: {what} must not be in a firmware" for name, what in _FORBIDDEN_SECTIONS.items() if sections.get(name)]


def library_errors(map_text: str) -> list[str]:
    """What objects of the C++ library a linker map shows in a firmware, one line each."""
    members = set(re.findall(r"\blib((?:std|sup)c\+\+\w*\.a\([^)]+\))", map_text.partition("Linker script and memory map")[2]))
    return [f"lib{member}: the C++ standard library must not be in a firmware" for member in sorted(members)]


def kernel_errors(symbols: set[str], selected: set[str]) -> list[str]:
    """Kernels that are in a firmware though its model does not use them, and the other way round, one line each.

    A kernel is the C++ function kindling::<name>(...).
    """
    present = {name for name in KERNELS if any(symbol.startswith(f"_ZN8kindling{len(name)}{name}E") for symbol in symbols)}
    extra = [f"kernel {name} is linked in, but the model does not use it" for name in sorted(present - selected)]
    return extra + [f"kernel {name} is used by the model, but not linked in" for name in sorted(selected - present)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elf", type=pathlib.Path, required=True, help="the firmware")
    parser.add_argument("--map", type=pathlib.Path, required=True, help="its linker map")
    parser.add_argument("--ops", type=pathlib.Path, required=True, help="the model's ops.json")
    parser.add_argument("--stamp", type=pathlib.Path, required=True, help="written when all is well")
    arguments = parser.parse_args()
    with arguments.elf.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            sys.exit(f"{arguments.elf.name} has no symbol table")
        symbols = {symbol.name for symbol in table.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
        sections = {section.name: section["sh_size"] for section in elf.iter_sections()}
    selected = {operator["kernel"] for operator in json.loads(arguments.ops.read_text())["operators"]}
    errors = symbol_errors(symbols) + section_errors(sections) + library_errors(arguments.map.read_text())
    if selected <= KERNELS.keys():  # else they are upstream's operators, which share kernels
        errors += kernel_errors(symbols, selected)
    if errors:
        sys.exit("\n".join(f"{arguments.elf.name}: {error}" for error in errors))
    arguments.stamp.write_text("ok\n")


if __name__ == "__main__":
    main()
