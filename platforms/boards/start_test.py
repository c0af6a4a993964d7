"""Every core starts on its board: memory, FPU and files work, and what must not be done ends in a fault."""

import json
import pathlib

import pytest

from toolchains.qemu import emulator

HERE = pathlib.Path(__file__).absolute().parent
CORES = tuple(json.loads((HERE.parent / "cores_json.json").read_text()))


def start(core: str, what: str, folder: pathlib.Path) -> None:
    """Runs the test program with its one letter. Raises EmulationError unless it ends with code 0."""
    (folder / "input.bin").write_bytes(what.encode())
    emulator.run_elf(elf=HERE / f"start_test_program.{core}", core=core, directory=folder, timeout_s=30)


@pytest.mark.parametrize("core", CORES)
def test_memory_floats_stack_and_files_work(core: str, tmp_path: pathlib.Path) -> None:
    start(core, "c", tmp_path)
    assert (tmp_path / "output.bin").read_bytes() == bytes(range(1, 9))


@pytest.mark.parametrize("what", ["unaligned access", "invalid instruction", "stack overflow"])
@pytest.mark.parametrize("core", CORES)
def test_faults_end_with_code_125(core: str, what: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(emulator.EmulationError, match="a fault"):
        start(core, what[0], tmp_path)


def test_a_wrong_letter_is_not_a_fault(tmp_path: pathlib.Path) -> None:
    with pytest.raises(emulator.EmulationError, match="exit code 98"):
        start("m55", "?", tmp_path)
