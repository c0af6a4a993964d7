"""A program of one Debian on any other: started by its own dynamic loader, with its own libraries.

For single programs. A program that starts others (a compiler) needs relocate.py instead, since its children would not know.
"""

import pathlib
import shutil

from toolchains.debian import elf

_LOADER = "ld-linux-x86-64.so.2"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"

_START = """\
#!/bin/sh
# Starts {name} with the libraries that lie beside it, or in Bazel's runfiles, whatever the machine has.
case $0 in */*) here=${{0%/*}} ;; *) here=. ;; esac
for here in "$here" "$0".runfiles/*; do
  if [ -f "$here/{name}.elf" ]; then break; fi
done
exec "$here/lib/{loader}" --library-path "$here/lib" --argv0 {name} "$here/{name}.elf" "$@"
"""


def keep(name: str, root: pathlib.Path, into: pathlib.Path) -> None:
    """Takes /usr/bin/<name> (or /usr/sbin/<name>) and all libraries it loads from an unpacked root.

    Args:
      name: the program.
      root: where Debian's packages were unpacked.
      into: gets <name>.sh (a script that starts it), <name>.elf and lib/.
    """
    (into / "lib").mkdir(parents=True, exist_ok=True)
    shutil.copy(next(root.glob(f"usr/*bin/{name}")), into / f"{name}.elf")
    for library in {_LOADER} | elf.loaded(into / f"{name}.elf", root / _LIBRARIES):
        shutil.copy(root / _LIBRARIES / library, into / "lib" / library)
    start = into / f"{name}.sh"
    start.write_text(_START.format(name=name, loader=_LOADER))
    start.chmod(0o755)
