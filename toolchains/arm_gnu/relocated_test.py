"""The toolchain's programs run wherever they lie, on glibc 2.36 or newer, and hold no path of the machine that unpacked them."""

import pathlib
import subprocess

import pytest
from elftools.elf.elffile import ELFFile

ROOT, = pathlib.Path(__file__).absolute().parents[3].glob("*arm_gnu")
PROGRAMS = sorted(path for path in ROOT.rglob("*") if path.is_file() and path.read_bytes()[:5] == b"\x7fELF\x02")


def test_there_are_programs() -> None:
    names = {path.name for path in PROGRAMS}
    assert {"arm-none-eabi-gcc", "cc1", "cc1plus", "as", "ld", "collect2", "arm-none-eabi-objcopy"} <= names


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_program_asks_for_no_newer_glibc_and_no_absolute_path(program: pathlib.Path) -> None:
    with open(program, "rb") as file:
        elf = ELFFile(file)
        wanted = elf.get_section_by_name(".gnu.version_r")
        versions = [aux.name for _, auxiliaries in wanted.iter_versions() for aux in auxiliaries] if wanted else []
        glibc = [tuple(map(int, name.removeprefix("GLIBC_").split("."))) for name in versions if name.startswith("GLIBC_2")]
        assert max(glibc, default=(2,)) <= (2, 36)
        paths = [tag.rpath for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_RPATH")]
        assert all(path.startswith("$ORIGIN/") for path in paths)
    assert b"/kindling/" not in program.read_bytes()  # The store, where it was made.


def test_compiler_finds_its_parts_from_where_it_lies(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.cc").write_text("#include <cstdint>\nuint32_t twice(uint32_t x) { return 2 * x; }\n")
    gcc = ROOT / "bin/arm-none-eabi-gcc"
    options = ["-no-canonical-prefixes", "-mcpu=cortex-m55", "-mfloat-abi=hard", "-mthumb", "-O2", "-c"]
    subprocess.run([gcc, *options, "a.cc", "-o", "a.o"], cwd=tmp_path, check=True)
    with open(tmp_path / "a.o", "rb") as file:
        assert ELFFile(file)["e_machine"] == "EM_ARM"
