#!/usr/bin/env python3
"""Brings requirements.txt up to date: `toolchains/python/lock.py`.

Edit the versions in requirements.txt first; this rewrites the hashes, one for each Python that has a wheel of its own. torch.txt is kept
by hand, from the hashes that PyTorch's index states.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains.store import say, sha256

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")
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


def main() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.strip().startswith("--hash")]
    locked = []
    for line in lines:
        line = line.removesuffix("\\").rstrip()
        locked.append(line)
        if match := re.match(r"[\w.-]+==[\w.+-]+", line):
            say(match[0])
            options = [f"    --hash=sha256:{digest}" for digest in hashes(match[0])]
            locked[-1] = " \\\n".join([line, *options])
    REQUIREMENTS.write_text("\n".join(locked) + "\n")


if __name__ == "__main__":
    main()
