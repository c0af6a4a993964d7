"""Runs the program runner on the core of the environment's KINDLING_CORE, or on the host."""

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence

from kernels.testing.run_cases import tier_of
from tests.single_operator.programs import Result, decode_results
from toolchains.qemu import emulator

CORE = os.environ["KINDLING_CORE"]
TIER = tier_of(CORE)

_RUNNER = pathlib.Path(__file__).absolute().parent / "program_runner"


def run_programs(programs: bytes, output_bytes: Sequence[int]) -> list[Result]:
    """What becomes of programs.bin; `output_bytes` of each program are those of all its runs."""
    with tempfile.TemporaryDirectory(prefix="kindling_") as folder:
        directory = pathlib.Path(folder)
        (directory / "programs.bin").write_bytes(programs)
        if CORE == "host":
            subprocess.run([_RUNNER], cwd=directory, check=True, timeout=300)
        else:
            emulator.run_elf(elf=_RUNNER, core=CORE, directory=directory, timeout_s=300)
        return list(decode_results((directory / "results.bin").read_bytes(), output_bytes))
