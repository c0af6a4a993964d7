#!/usr/bin/env python3
"""Brings lists of requirements up to date: `toolchains/python/lock.py toolchains/python/requirements.txt tests/nested/executorch.txt`.

Edit the versions in them first; this rewrites the hashes, one for each Python that has a wheel of its own. torch.txt is kept by hand,
from the hashes that PyTorch's index states.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains.store import say, sha256

PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = [f"--platform=manylinux_2_{minor}_x86_64" for minor in (28, 27, 24, 17, 5)] + ["--platform=manylinux2014_x86_64"]


def hashes(requirement: str) -> list[str]:
    """sha256 of the wheels that pip takes for this requirement ("numpy==2.4.6") on each Python."""
    found = {}
    for python in PYTHONS:
        with tempfile.TemporaryDirectory() as folder:
            where = ["--dest", folder, "--no-deps", "--only-binary=:all:", "--python-version", python, *PLATFORMS]
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *where, requirement], check=True)
            found |= {sha256(wheel): None for wheel in pathlib.Path(folder).iterdir()}
    return list(found)


def lock(path: pathlib.Path) -> None:
    """Rewrites one list."""
    lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("--hash")]
    locked = []
    for line in lines:
        line = line.removesuffix("\\").rstrip()
        locked.append(line)
        if match := re.match(r"[\w.-]+==[\w.+-]+", line):
            say(match[0])
            options = [f"    --hash=sha256:{digest}" for digest in hashes(match[0])]
            locked[-1] = " \\\n".join([line, *options])
    path.write_text("\n".join(locked) + "\n")


def main() -> None:
    for path in sys.argv[1:]:
        lock(pathlib.Path(path))


if __name__ == "__main__":
    main()
