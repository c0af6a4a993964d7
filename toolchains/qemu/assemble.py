"""Fills a folder with qemu-system-arm and its libraries, from Debian's packages."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.debian import elf, packages, private_program

LOCK = pathlib.Path(__file__).with_name("packages.lock.json")
INPUTS = [pathlib.Path(__file__), LOCK, *(pathlib.Path(module.__file__) for module in (elf, private_program))]


def build(folder: pathlib.Path) -> None:
    found = packages.available(packages.Lock.read(LOCK), strict=False)
    work = folder.with_name("debs")
    packages.unpack(found, work, exclude=["*/share/*"])
    private_program.keep("qemu-system-arm", work, folder)
    shutil.rmtree(work)
    version = next(package.version for package in found if package.name == "qemu-system-arm")
    (folder / "ORIGIN").write_text(f"Debian's package, {version}\n")


def assemble(into: pathlib.Path) -> None:
    tree = store.tree(f"qemu-{store.key(INPUTS)}", 200, build)
    store.say(f"QEMU: {(tree / 'ORIGIN').read_text().strip()}")
    store.bring(tree, into)


if __name__ == "__main__":
    store.run_as_command(assemble)
