"""Fills a folder with nginx and its libraries, from Debian's packages."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import store
from toolchains.debian.assemble_program import assemble_program

if __name__ == "__main__":
    store.run_as_command(lambda into: assemble_program("nginx", __file__, into))
