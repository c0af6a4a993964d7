"""A repository of one Debian program: fills its folder from the lock file beside the assemble.py that calls this."""

import pathlib
import shutil

from toolchains import store
from toolchains.debian import elf, packages, private_program


def assemble_program(name: str, caller: str, into: pathlib.Path) -> None:
    """Fills `into` with the program and its libraries.

    Args:
      name: the program, and the Debian package that holds it.
      caller: the assemble.py, with packages.lock.json beside it.
      into: the folder.
    """
    lock = pathlib.Path(caller).with_name("packages.lock.json")

    def build(folder: pathlib.Path) -> None:
        found = packages.available(packages.Lock.read(lock), strict=False)
        work = folder.with_name("debs")
        packages.unpack(found, work, exclude=["*/share/*"])
        private_program.keep(name, work, folder)
        shutil.rmtree(work)
        version = next(package.version for package in found if package.name == name)
        (folder / "ORIGIN").write_text(f"Debian's package, {version}\n")

    inputs = [pathlib.Path(__file__), lock, *(pathlib.Path(module.__file__) for module in (elf, private_program))]
    tree = store.tree(f"{name}-{store.key(inputs)}", 200, build)
    store.say(f"{name}: {(tree / 'ORIGIN').read_text().strip()}")
    store.bring(tree, into)
