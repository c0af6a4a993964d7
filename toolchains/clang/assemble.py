"""Fills a folder with clang and the runtimes of its sanitisers and of libFuzzer, from Debian's packages.

Headers and libraries of C and C++, assembler and linker are those of the machine's own GCC, which every host build uses.
"""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.debian import elf, packages, relocate

LOCK = pathlib.Path(__file__).with_name("packages.lock.json")
INPUTS = [pathlib.Path(__file__), LOCK, *(pathlib.Path(module.__file__) for module in (elf, relocate))]
RUNTIMES = ("asan", "asan_cxx", "asan_static", "asan-preinit", "builtins", "fuzzer", "ubsan_standalone", "ubsan_standalone_cxx")

_AS_GCC = """\
#!/bin/sh
# Starts clang with a command line that is written for GCC: without the optimisations of which clang knows nothing.
for argument do
  shift
  case $argument in
    -fno-tree-* | -fno-schedule-insns*) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "${0%/*}/clang" "$@"
"""


def build(folder: pathlib.Path) -> None:
    work = folder.with_name("debs")
    packages.unpack(packages.available(packages.Lock.read(LOCK), strict=True), work, exclude=["*/share/*"])
    llvm = next((work / "usr/lib").glob("llvm-*"))
    libraries = work / "usr/lib/x86_64-linux-gnu"
    (folder / "bin").mkdir()
    shutil.copy(llvm / "bin/clang", folder / "bin/clang")
    as_gcc = folder / "bin/clang-as-gcc"
    as_gcc.write_text(_AS_GCC)
    as_gcc.chmod(0o755)
    resources = next((llvm / "lib/clang").iterdir())
    own = folder / "lib/clang" / resources.name
    shutil.copytree(resources / "include", own / "include")
    (own / "lib/linux").mkdir(parents=True)
    for name in RUNTIMES:
        shutil.copy(resources / f"lib/linux/libclang_rt.{name}-x86_64.a", own / "lib/linux")
    host = folder / "lib/host"
    host.mkdir()
    waiting = [folder / "bin/clang"]
    while waiting:
        for name in elf.Elf.read(waiting.pop()).needed():
            found = next((place / name for place in (libraries, llvm / "lib") if (place / name).exists()), None)
            if found and not (host / name).exists():
                shutil.copy(found, host / name)
                waiting.append(host / name)
    relocate.use_libraries_of(host, [folder / "bin/clang", *host.iterdir()])
    shutil.rmtree(work)


def assemble(into: pathlib.Path) -> None:
    store.bring(store.tree(f"clang-{store.key(INPUTS)}", 400, build), into)


if __name__ == "__main__":
    store.run_as_command(assemble)
