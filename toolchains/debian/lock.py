#!/usr/bin/env python3
"""Brings lock files up to date: `toolchains/debian/lock.py toolchains/*/packages.lock.json`.

A lock file names a suite and its roots, as apt takes them ("qemu-system-arm", "gcc-arm-none-eabi=15:14.2.rel1-1"). Written anew are
the packages: the roots, and those others of their closure that hold a library which the roots' programs load (but for those that
the lock file says every host has).
"""

import dataclasses
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains.debian.elf import Elf
from toolchains.debian.packages import Lock, Package, Suite, deb, download
from toolchains.store import ToolchainError, say


def loaded_libraries(roots: list[Package], closure: list[Package]) -> list[Package]:
    """Of the closure, the packages that hold a library needed, directly or not, by an ELF file of the roots."""
    download(roots + closure)
    with tempfile.TemporaryDirectory() as folder:
        holder, wants = {}, {}
        for package in roots + closure:
            place = pathlib.Path(folder) / package.name
            subprocess.run(["dpkg-deb", "--extract", str(deb(package)), str(place)], check=True)
            elfs = {path: Elf.read(path) for path in place.rglob("*") if path.is_file()}
            wants[package] = {name for elf in elfs.values() if elf for name in elf.needed()}
            holder |= {path.name: package for path in place.rglob("*.so*")}
    kept, waiting = set(), list(roots)
    while waiting:
        package = waiting.pop()
        if package not in kept:
            kept.add(package)
            waiting += [holder[name] for name in wants[package] if name in holder]
    return [package for package in closure if package in kept]


def updated(lock: Lock) -> Lock:
    """The lock as its suite answers it today."""
    with Suite(lock.suite) as suite:
        roots = suite.packages(lock.roots)
        known = {package.name for package in roots} | set(lock.host)
        others = suite.packages([name for name in suite.closure(lock.roots) if name not in known])
    return dataclasses.replace(lock, packages=(*roots, *loaded_libraries(roots, others)))


def main() -> None:
    for path in map(pathlib.Path, sys.argv[1:]):
        try:
            lock = updated(Lock.read(path))
        except ToolchainError as error:
            sys.exit(f"{path}: {error}")
        lock.write(path)
        say(f"{path}: {len(lock.packages)} packages, {sum(package.size for package in lock.packages) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
