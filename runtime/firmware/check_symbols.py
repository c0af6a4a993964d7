"""Refuses a firmware that holds what must not be in one: a heap, printf, exceptions, static constructors, kernels nobody selected."""

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
    (re.compile(r"^_?(malloc|calloc|realloc|free|memalign|sbrk)(_r)?$"), "the heap"),
    (re.compile(r"^_Z(nw|na|dl|da)[jmPv]"), "operator new or delete"),
    (re.compile(r"^_?(v|s|vs|sn|vsn|f|vf)?i?printf(_r|_float)?$|^_svfi?printf_r$|^puts$|^putchar$"), "formatted output"),
    (re.compile(r"^__cxa_(throw|begin_catch|end_catch|rethrow|allocate_exception)$|^_Unwind_|^__gxx_personality"), "exceptions"),
    (re.compile(r"^__cxa_atexit$|^__aeabi_atexit$|^_GLOBAL__sub_I_"), "static constructors or destructors"),
    (re.compile(r"^_ZNK?St|^_ZTI|^_ZTS|^__dynamic_cast$"), "the C++ standard library or RTTI"),
)

_STATIC_CONSTRUCTORS = (".init_array", ".preinit_array", ".ctors")


def symbol_errors(symbols: set[str]) -> list[str]:
    """What is wrong with the defined symbols of a firmware, one line each."""
    return [f"symbol {name}: {what} must not be in a firmware" for name in sorted(symbols) for pattern, what in _FORBIDDEN if pattern.search(name)]


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
    parser.add_argument("--ops", type=pathlib.Path, required=True, help="the model's ops.json")
    parser.add_argument("--stamp", type=pathlib.Path, required=True, help="written when all is well")
    arguments = parser.parse_args()
    with arguments.elf.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            sys.exit(f"{arguments.elf.name} has no symbol table")
        symbols = {symbol.name for symbol in table.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
        constructors = [s.name for s in elf.iter_sections() if s.name in _STATIC_CONSTRUCTORS and s["sh_size"]]
    selected = {operator["kernel"] for operator in json.loads(arguments.ops.read_text())["operators"]}
    errors = symbol_errors(symbols) + kernel_errors(symbols, selected)
    errors += [f"section {name} is not empty: static constructors must not be in a firmware" for name in constructors]
    if errors:
        sys.exit("\n".join(f"{arguments.elf.name}: {error}" for error in errors))
    arguments.stamp.write_text("ok\n")


if __name__ == "__main__":
    main()
