"""Fills a folder with flatc and the C++ headers of the same version, from Debian's packages."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.debian import elf, packages, private_program

LOCK = pathlib.Path(__file__).with_name("packages.lock.json")
INPUTS = [pathlib.Path(__file__), LOCK, *(pathlib.Path(module.__file__) for module in (elf, private_program))]


def build(folder: pathlib.Path) -> None:
    work = folder.with_name("debs")
    packages.unpack(packages.available(packages.Lock.read(LOCK), strict=True), work)
    private_program.keep("flatc", work, folder)
    (work / "usr/include").rename(folder / "include")
    shutil.rmtree(work)


def assemble(into: pathlib.Path) -> None:
    store.bring(store.tree(f"flatbuffers-{store.key(INPUTS)}", 60, build), into)


if __name__ == "__main__":
    store.run_as_command(assemble)
