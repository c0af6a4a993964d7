"""Fills a folder with Arm's GNU toolchain 14.2.rel1 for Cortex-M: Arm's own archive where it can be reached, else Debian's build of it.

Both come out in one layout, with what M-profile cores and newlib-nano need and nothing else. KINDLING_ARM_GNU=arm or =debian insists
on one of them.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.arm_gnu import arm_archive
from toolchains.debian import elf, packages, relocate

HERE = pathlib.Path(__file__).parent
LOCK = HERE / "packages.lock.json"
INPUTS = [pathlib.Path(__file__), LOCK, *map(pathlib.Path, (arm_archive.__file__, elf.__file__, relocate.__file__))]
VERSION = "14.2.1"

PROGRAMS = ("gcc", "ar", "nm", "objcopy", "objdump", "readelf", "size", "strip")
COMPILERS = ("cc1", "cc1plus", "collect2", "lto1", "lto-wrapper", "liblto_plugin.so")
BINUTILS = ("as", "ld", "ld.bfd")
LIBRARIES = ("libc_nano.a", "libm.a", "libgcc.a")
OTHER_PROFILES = ("*/arm/*", "*/thumb/v7-[ar]*", "*/thumb/v7[+v]*", "*/thumb/v7/*", "*/thumb/v8-[ar]*")
UNUSED = ("*/share/*", "*/plugin/*", "*/libg.a", "*/libg_nano.a")
M_PROFILE = ("v6-m", "v7-m", "v7e-m", "v8-m", "v8.1-m")


def debian_layout(folder: pathlib.Path) -> None:
    """Debian's packages, moved to where their gcc looks when it is not in /usr, with their own libraries beside."""
    found = packages.available(packages.Lock.read(LOCK), strict=True)
    work = folder.with_name("debs")
    packages.unpack(found, work, exclude=[*OTHER_PROFILES, *UNUSED])
    usr = work / "usr"
    (folder / "lib").mkdir()
    (usr / "bin").rename(folder / "bin")
    (usr / "lib/gcc").rename(folder / "lib/gcc")
    (usr / "lib/arm-none-eabi").rename(folder / "lib/arm-none-eabi")
    (folder / "lib/arm-none-eabi/newlib").rename(folder / "lib/arm-none-eabi/lib")
    (usr / "include/newlib").rename(folder / "lib/arm-none-eabi/include")
    host = folder / "lib/host"
    host.mkdir()
    for program in folder.rglob("*"):
        program_elf = elf.Elf.read(program) if program.is_file() and not program.is_symlink() else None
        for name in program_elf.needed() if program_elf else ():
            library = usr / "lib/x86_64-linux-gnu" / name
            if library.exists() and not (host / name).exists():
                shutil.copy(library, host / name)
    shutil.rmtree(work)


def prune(folder: pathlib.Path) -> None:
    """Leaves what compiling and linking for M-profile cores with newlib-nano needs.

    Arm's archive keeps compilers and target files in libexec/ and arm-none-eabi/, Debian's gcc looks for both in lib/. Whatever
    gcc does not find by itself goes to one place: nano/, the headers of newlib-nano.
    """
    gcc, target = folder / "lib/gcc/arm-none-eabi" / VERSION, _one_of(folder, "arm-none-eabi", "lib/arm-none-eabi")
    _one_of(target / "include", "newlib-nano", "nano").rename(folder / "nano")
    _keep(folder, "bin", "lib", "libexec", "arm-none-eabi", "nano")
    _keep(folder / "bin", *(f"arm-none-eabi-{name}" for name in PROGRAMS))
    _keep(folder / "lib", "gcc", "arm-none-eabi", "host")
    _keep(gcc, *COMPILERS, "include", "include-fixed", "thumb")
    _keep(folder / "libexec/gcc/arm-none-eabi" / VERSION, *COMPILERS)
    _keep(target, "bin", "lib", "include")
    _keep(target / "bin", *BINUTILS)
    _keep(target / "lib", "thumb")
    cxx = target / "include/c++" / VERSION / "arm-none-eabi"
    _keep(cxx, "bits", "ext", "thumb")
    for multilibs in (gcc / "thumb", target / "lib/thumb", cxx / "thumb"):
        _keep(multilibs, *(entry.name for entry in multilibs.iterdir() if entry.name.startswith(M_PROFILE)))
    for multilibs in (gcc / "thumb", target / "lib/thumb"):
        for file in [path for path in multilibs.rglob("*") if not path.is_dir() and path.name not in LIBRARIES]:
            file.unlink()


def _one_of(folder: pathlib.Path, *names: str) -> pathlib.Path:
    return next(folder / name for name in names if (folder / name).is_dir())


def _keep(folder: pathlib.Path, *names: str) -> None:
    """Removes whatever else lies in the folder, if it exists."""
    for entry in list(folder.iterdir()) if folder.is_dir() else ():
        if entry.name in names:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def build(folder: pathlib.Path) -> None:
    archive = arm_archive.fetch()
    if archive:
        arm_archive.unpack(archive, folder)
    else:
        debian_layout(folder)
    prune(folder)
    if not archive:
        programs = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
        relocate.use_libraries_of(folder / "lib/host", programs)
    libraries = sorted(folder.rglob("*.a"))
    strip = folder / "bin/arm-none-eabi-strip"
    subprocess.run([strip, "--strip-debug", "--enable-deterministic-archives", *libraries], check=True)
    (folder / "ORIGIN").write_text("Arm's archive\n" if archive else "Debian's packages\n")


def assemble(into: pathlib.Path) -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise store.ToolchainError(f"no Arm GNU toolchain for {platform.system()} {platform.machine()} yet: Linux x86_64 only")
    choice = os.environ.get("KINDLING_ARM_GNU", "")
    tree = store.tree(f"arm_gnu-{store.key(INPUTS, choice)}", 1500, build)
    store.say(f"Arm GNU toolchain 14.2.rel1: {(tree / 'ORIGIN').read_text().strip()}")
    store.bring(tree, into)


if __name__ == "__main__":
    store.run_as_command(assemble)
