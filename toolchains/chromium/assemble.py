"""Fills a folder with Chromium without a window (chromium-headless-shell), its libraries and two fonts, from Debian's packages.

Of Debian 12, whose programs run on the glibc of Debian 12 and of anything newer: Chromium starts itself again for each of its processes,
which a loader of its own (private_program.py) would have to be told of.
"""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.debian import packages

LOCK = pathlib.Path(__file__).with_name("packages.lock.json")
PROGRAM = "chromium-headless-shell"

# Documentation, and what drawing by way of a GPU would take.
_UNUSED = ("*/share/doc/*", "*/share/man/*", "*/share/locale/*", "*/chromium/locales/*", "*/chromium/libV*", "*/chromium/lib*vulkan*")

_START = """\
#!/bin/sh
# Starts Chromium with the libraries and fonts that lie beside it, or in Bazel's runfiles, whatever the machine has.
case $0 in */*) here=${{0%/*}} ;; *) here=. ;; esac
for here in "$here" "$0".runfiles/*; do
  if [ -f "$here/{program}" ]; then break; fi
done
export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/{program}" "$@"
"""

_FONTS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def build(folder: pathlib.Path) -> None:
    found = packages.available(packages.Lock.read(LOCK), strict=False)
    work = folder.with_name("debs")
    packages.unpack(found, work, exclude=_UNUSED)
    for file in (file for file in (work / "usr/lib/chromium").iterdir() if file.is_file()):
        shutil.copy(file, folder / file.name)
    for kind, patterns in {"lib": ("lib/**/*.so*", "usr/lib/**/*.so*"), "fonts": ("usr/share/fonts/**/*.[ot]tf",)}.items():
        (folder / kind).mkdir()
        for file in (file for pattern in patterns for file in work.glob(pattern) if file.is_file()):
            shutil.copy(file, folder / kind / file.name)
    shutil.rmtree(work)
    (folder / "fonts.conf").write_text(_FONTS)
    (folder / "chromium.sh").write_text(_START.format(program=PROGRAM))
    (folder / "chromium.sh").chmod(0o755)


def assemble(into: pathlib.Path) -> None:
    store.bring(store.tree(f"chromium-{store.key([pathlib.Path(__file__), LOCK])}", 700, build), into)


if __name__ == "__main__":
    store.run_as_command(assemble)
