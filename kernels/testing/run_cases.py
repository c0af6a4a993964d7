"""Runs cases on the host or on an emulated core."""

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence

from kernels.operator import Tier
from kernels.testing.cases import Case, encode_cases, failures
from toolchains.qemu import emulator

_CORES = pathlib.Path(__file__).absolute().parents[2] / "platforms/cores_json.json"


@dataclasses.dataclass(frozen=True)
class CasesRun:
    """failures: a line for each of the first failures. instructions: of each case with its buffers apart; none on the host."""

    failures: list[str]
    instructions: list[int]


def tier_of(core: str) -> Tier:
    """The tier of a core of platforms/cores.bzl, or of "host"."""
    return "scalar" if core == "host" else json.loads(_CORES.read_text())[core]["tier"]


def run_cases(
    core: str, runner: pathlib.Path, cases: Sequence[Case], *, timeout_s: float = 300
) -> CasesRun:
    """Starts the case runner, built for `core`, once for all cases.

    Raises RuntimeError if it does not end, faults, or (on the host) a sanitiser stops it.
    """
    with tempfile.TemporaryDirectory(prefix="kindling_") as directory:
        folder = pathlib.Path(directory)
        (folder / "cases.bin").write_bytes(encode_cases(cases))
        if core == "host":
            environment = os.environ | {"UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
            done = subprocess.run(
                [runner.absolute()], cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
            )
            if done.returncode:
                raise RuntimeError(f"the case runner ended with {done.returncode}: {done.stderr[-4000:]}")
            counts: dict[str, list[int]] = {}
        else:
            counts, _ = emulator.run_elf(elf=runner, core=core, directory=folder, timeout_s=timeout_s)
        return CasesRun(failures((folder / "results.bin").read_bytes(), cases), counts.get("kernel", []))
