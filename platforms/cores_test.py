"""The tables of cores and boards agree with each other, and what is built for a core says in its ELF attributes that it is."""

import itertools
import json
import pathlib
import struct

import pytest
from elftools.elf.elffile import ELFFile

HERE = pathlib.Path(__file__).absolute().parent
CORES = json.loads((HERE / "cores_json.json").read_text())
BOARDS = json.loads((HERE / "boards/boards_json.json").read_text())

# From Arm's "Addenda to, and Errata in, the ABI for the Arm Architecture": Tag_CPU_arch, Tag_FP_arch, Tag_MVE_arch, Tag_ABI_VFP_args.
V6S_M, V7, V7E_M, V8M_BASE, V8M_MAIN, V8_1M_MAIN = 12, 10, 13, 16, 17, 21
NO_FP, VFPV4_D16, FPV5_D16 = 0, 6, 8
ATTRIBUTES = {
    "m0": (V6S_M, NO_FP, 0, 0),
    "m0plus": (V6S_M, NO_FP, 0, 0),
    "m3": (V7, NO_FP, 0, 0),
    "m4": (V7E_M, NO_FP, 0, 0),
    "m4f": (V7E_M, VFPV4_D16, 0, 1),
    "m7": (V7E_M, NO_FP, 0, 0),
    "m7f": (V7E_M, FPV5_D16, 0, 1),
    "m23": (V8M_BASE, NO_FP, 0, 0),
    "m33": (V8M_MAIN, NO_FP, 0, 0),
    "m33f": (V8M_MAIN, FPV5_D16, 0, 1),
    "m35p": (V8M_MAIN, FPV5_D16, 0, 1),
    "m52": (V8_1M_MAIN, FPV5_D16, 2, 1),
    "m55": (V8_1M_MAIN, FPV5_D16, 2, 1),
    "m85": (V8_1M_MAIN, FPV5_D16, 2, 1),
}


def elf_of(core: str) -> pathlib.Path:
    return HERE / "boards" / f"start_test_program.{core}"


def attributes(elf: pathlib.Path) -> dict[str, int]:
    with open(elf, "rb") as file:
        section = ELFFile(file).get_section_by_name(".ARM.attributes")
        return {tag.tag: tag.value for part in section.subsections for scope in part.subsubsections for tag in scope.attributes}


@pytest.mark.parametrize("core", ATTRIBUTES)
def test_elf_attributes_name_architecture_fpu_mve_and_float_abi(core: str) -> None:
    found = attributes(elf_of(core))
    tags = ("TAG_CPU_ARCH", "TAG_FP_ARCH", "TAG_MVE_ARCH", "TAG_ABI_VFP_ARGS")
    assert tuple(found.get(tag, 0) for tag in tags) == ATTRIBUTES[core]
    assert found["TAG_CPU_ARCH_PROFILE"] == ord("M")


def test_every_core_is_expected() -> None:
    assert CORES.keys() == ATTRIBUTES.keys()


@pytest.mark.parametrize("core", CORES)
def test_row_of_core_is_consistent(core: str) -> None:
    row = CORES[core]
    assert (row["tier"] == "mve") == (row["mve"] != "none")
    assert (row["float_abi"] == "soft") == (row["fpu"] == "none")
    assert f"-mfloat-abi={row['float_abi']}" in row["flags"]
    assert row["board"] in BOARDS
    if row["nearest"]:
        assert CORES[row["nearest"]]["board"] == row["board"] and not CORES[row["nearest"]]["nearest"]


@pytest.mark.parametrize("board", BOARDS)
def test_memory_map_of_board_is_sound(board: str) -> None:
    row = BOARDS[board]
    kinds = {name: region["kind"] for name, region in row["regions"].items()}
    assert kinds[row["code"]] == kinds[row["model"]] == "flash"
    assert "flash" not in (kinds[row["data"]], kinds[row["arena"]])
    ranges = sorted((region["origin"], region["origin"] + region["length"]) for region in row["regions"].values())
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))


@pytest.mark.parametrize("core", CORES)
def test_sections_lie_in_the_regions_of_the_board(core: str) -> None:
    board = BOARDS[CORES[core]["board"]]
    where = {".vectors": "code", ".text": "code", ".model": "model", ".data": "data", ".bss": "data", ".stack": "data", ".arena": "arena"}
    with open(elf_of(core), "rb") as file:
        elf = ELFFile(file)
        for section, role in where.items():
            region = board["regions"][board[role]]
            header = elf.get_section_by_name(section).header
            assert region["origin"] <= header.sh_addr <= header.sh_addr + header.sh_size <= region["origin"] + region["length"], section
        vectors = elf.get_section_by_name(".vectors")
        first_stack_pointer, reset = struct.unpack_from("<II", vectors.data())
        assert vectors.header.sh_addr == board["regions"][board["code"]]["origin"]
        assert first_stack_pointer % 8 == 0 and reset & 1 == 1
