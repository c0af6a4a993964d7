"""The raw images hold what the ELF loads, each from where its memory begins, and nothing in between."""

import os
import pathlib

from elftools.elf.elffile import ELFFile

FIRMWARE = pathlib.Path("models/kws/firmware.elf")

# Endings of a core's images, and where each begins.
IMAGES = {
    "m3": {".bin": 0x00000000},
    "m55": {".bin": 0x10000000, ".qspi.bin": 0x38000000},
}[os.environ["KINDLING_CORE"]]


def test_images_are_what_the_elf_loads():
    with FIRMWARE.open("rb") as file:
        loaded = {part["p_paddr"]: part.data() for part in ELFFile(file).iter_segments("PT_LOAD") if part["p_filesz"]}
    assert loaded == {origin: FIRMWARE.with_suffix(ending).read_bytes() for ending, origin in IMAGES.items()}


def test_no_other_image_is_made():
    others = {".inputs.bin", ".expected.bin"}
    assert {path.name.removeprefix("firmware") for path in FIRMWARE.parent.glob("firmware*.bin")} == IMAGES.keys() | others
