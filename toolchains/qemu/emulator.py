"""Runs a firmware on an emulated core and counts its instructions exactly.

The firmware talks to the host by semihosting, as ARCHITECTURE.md ("Harness") says: it reads its inputs from `input.bin`, appends
its outputs to `output.bin` and leaves `report.bin`. Instructions are counted by `count_plugin.c` between the functions
`kindling_mark_<region>_begin` and `kindling_mark_<region>_end`.
"""

import collections
import dataclasses
import json
import pathlib
import struct
import subprocess
import tempfile

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

_WORKSPACE = pathlib.Path(__file__).absolute().parents[2]
_PLUGIN = _WORKSPACE / "toolchains/qemu/count_plugin.so"
_CORES = _WORKSPACE / "platforms/cores_json.json"
_BOARDS = _WORKSPACE / "platforms/boards/boards_json.json"

_MARKER = "kindling_mark_"
_INPUTS, _OUTPUTS, _REPORT, _COUNTS = _HARNESS_FILES = ("input.bin", "output.bin", "report.bin", "counts.txt")
_REPORT_MAGIC = 0x4C444E4B  # "KNDL"


class EmulationError(RuntimeError):
    """The emulator or the firmware in it failed; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Report:
    """What the harness says of itself: an error code (0: none) and bytes of RAM."""

    error: int
    runs: int
    arena_bytes: int
    state_bytes: int
    stack_bytes: int


@dataclasses.dataclass(frozen=True)
class FirmwareRun:
    """One start of the emulator: all inputs were run through the model, in order.

    Attributes:
      outputs: what the model answered, one answer after another.
      init_instructions: instructions from the start of the model's initialisation to its end; 0 without markers.
      run_instructions: instructions of each inference.
      step_instructions: instructions of each step of an observed model (runtime/firmware/observer.h), of all inferences together.
      report: the harness's own account.
      profile: instructions by function name over all regions, most first; empty unless asked for.
      files: what the firmware wrote beside its outputs and its report, by file name.
    """

    outputs: bytes
    init_instructions: int
    run_instructions: tuple[int, ...]
    step_instructions: tuple[int, ...]
    report: Report
    profile: dict[str, int]
    files: dict[str, bytes]


def run_firmware(
    *,
    elf: pathlib.Path,
    core: str,
    inputs: bytes,
    timeout_s: float = 300.0,
    profile: bool = False,
    instruction_ns: int | None = None,
) -> FirmwareRun:
    """Runs `elf` on the emulated board of `core` (a name from platforms/cores.bzl) with `inputs` laid end to end.

    The board's timers follow the clock of the host, or, if `instruction_ns` (a power of two) is given, they see every instruction take
    so long.

    Raises EmulationError when the emulator cannot run, the firmware faults, hangs, or reports an error.
    """
    with tempfile.TemporaryDirectory(prefix="kindling_") as directory:
        work = pathlib.Path(directory)
        (work / _INPUTS).write_bytes(inputs)
        counts, profile_counts = run_elf(
            elf=elf, core=core, directory=work, timeout_s=timeout_s, profile=profile, instruction_ns=instruction_ns
        )
        report = _read_report(work / _REPORT, elf)
        if report.error:
            raise EmulationError(f"{elf.name} on {core}: the firmware reports error {report.error:#x}")
        return FirmwareRun(
            outputs=(work / _OUTPUTS).read_bytes(),
            init_instructions=sum(counts["init"]),
            run_instructions=tuple(counts["run"]),
            step_instructions=tuple(counts["step"]),
            report=report,
            profile=profile_counts,
            files={path.name: path.read_bytes() for path in work.iterdir() if path.name not in _HARNESS_FILES},
        )


def run_elf(
    *,
    elf: pathlib.Path,
    core: str,
    directory: pathlib.Path,
    timeout_s: float,
    profile: bool = False,
    instruction_ns: int | None = None,
) -> tuple[dict[str, list[int]], dict[str, int]]:
    """Runs any semihosting program in `directory`; returns counts by region and, if asked for, by function.

    Raises EmulationError unless the program exits with code 0 within `timeout_s` seconds.
    """
    functions = _functions(elf)
    counts_file = directory / _COUNTS
    command = [_qemu(), *_board_arguments(core), *_COMMON_ARGUMENTS]
    if instruction_ns:
        command += ["-icount", f"shift={instruction_ns.bit_length() - 1},sleep=off"]
    command += ["-plugin", _plugin_option(functions, counts_file, profile), "-kernel", str(elf.absolute())]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise EmulationError(f"{elf.name} on {core}: no end after {timeout_s:.0f} s") from None
    except OSError as error:
        raise EmulationError(f"cannot start the emulator: {error}") from None
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
        why = {125: "a fault (bad access, bad instruction)"}.get(done.returncode, f"exit code {done.returncode}")
        raise EmulationError(f"{elf.name} on {core}: {why}" + (f": {said[-1]}" if said else ""))
    return _read_counts(counts_file, functions)


_COMMON_ARGUMENTS = (
    *("-nodefaults", "-nographic", "-monitor", "none", "-serial", "null"),
    *("-semihosting-config", "enable=on,target=native"),
)


def _qemu() -> str:
    """The emulator, in the runfiles of whatever program this is part of; its repository's name there is Bazel's affair."""
    found = next(_WORKSPACE.parent.glob("*qemu/qemu_system_arm"), None)
    if found is None:
        raise EmulationError("no emulator beside this program: start it through Bazel")
    return str(found)


def _board_arguments(core: str) -> list[str]:
    cores = json.loads(_CORES.read_text())
    if core not in cores:
        raise EmulationError(f"no core '{core}'; there are {', '.join(cores)}")
    board = json.loads(_BOARDS.read_text())[cores[core]["board"]]
    return ["-M", board["machine"], *board["qemu_args"]]


def _functions(elf: pathlib.Path) -> dict[str, tuple[int, int]]:
    """Name -> (address, bytes) of the functions in `elf`, the Thumb bit cleared."""
    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            raise EmulationError(f"{elf.name} has no symbol table")
        return {
            symbol.name: (symbol["st_value"] & ~1, symbol["st_size"])
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        }


def _plugin_option(functions: dict[str, tuple[int, int]], counts_file: pathlib.Path, profile: bool) -> str:
    option = f"{_PLUGIN},out={counts_file}" + (",profile=on" if profile else "")
    for name, (address, _) in sorted(functions.items()):
        if name.startswith(_MARKER) and name.endswith("_begin"):
            region = name.removeprefix(_MARKER).removesuffix("_begin")
            end, _ = functions[f"{_MARKER}{region}_end"]
            option += f",region={region}:{address:x}:{end:x}"
    return option


def _read_counts(path: pathlib.Path, functions: dict[str, tuple[int, int]]) -> tuple[dict[str, list[int]], dict[str, int]]:
    counts: dict[str, list[int]] = collections.defaultdict(list)
    profile: collections.Counter[str] = collections.Counter()
    for line in path.read_text().splitlines():
        what, count = line.split()
        if what.startswith("@"):
            profile[_function_at(int(what[1:], 16), functions)] += int(count)
        else:
            counts[what].append(int(count))
    return counts, dict(profile.most_common())


def _function_at(address: int, functions: dict[str, tuple[int, int]]) -> str:
    return next((n for n, (start, size) in functions.items() if start <= address < start + max(size, 2)), hex(address))


def _read_report(path: pathlib.Path, elf: pathlib.Path) -> Report:
    if not path.exists():
        raise EmulationError(f"{elf.name}: the firmware left no report")
    magic, *fields = struct.unpack("<6I", path.read_bytes())
    if magic != _REPORT_MAGIC:
        raise EmulationError(f"{elf.name}: report.bin is not a report")
    return Report(*fields)
