"""A thousand damaged .pte files on an emulated core: an error code or an answer, never a fault or a hang."""

import collections
import pathlib
import re
import struct
import tempfile

import pytest

from runtime.testing.mutants import Mutant, mutants
from toolchains.qemu import emulator

_FOLDER = pathlib.Path("runtime/testing")
_PTE = pathlib.Path("models/kws/kws.dsp.pte").read_bytes()
_COUNT = 1000
_OUTPUT_BYTES = 12
_SOUND = Mutant(len(_PTE), {})

_ERRORS = {int(code, 16) for code in re.findall(r"^  \w+ = (0x\w+),", pathlib.Path("runtime/error.h").read_text(), re.MULTILINE)}


def _request(mutant: Mutant) -> bytes:
    changes = [offset | byte << 24 for offset, byte in mutant.bytes.items()]
    return struct.pack(f"<{2 + len(changes)}I", mutant.size, len(changes), *changes)


def _run(firmware: str, files: list[Mutant]) -> list[tuple[int, bytes]]:
    """(error, output) of each. Raises EmulationError if the firmware faults or hangs."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "input.bin").write_bytes(struct.pack("<I", len(_PTE)) + _PTE + b"".join(map(_request, files)))
        emulator.run_elf(elf=_FOLDER / f"{firmware}.elf", core="m33", directory=work, timeout_s=240)
        answers = (work / "output.bin").read_bytes()
    results, at = [], 0
    for _ in files:
        (error,) = struct.unpack_from("<I", answers, at)
        at += 4
        output = b"" if error else answers[at : at + _OUTPUT_BYTES]
        at += len(output)
        results.append((error, output))
    assert at == len(answers)
    return results


@pytest.fixture(scope="module")
def files() -> list[Mutant]:
    return mutants(_PTE, _COUNT, seed=33)


def test_with_full_verification_a_thousand_mutants_give_errors_or_answers(files):
    (first_error, first), *results, last = _run("kws_mutants", [_SOUND, *files, _SOUND])
    assert first_error == 0 and any(first)
    assert last == (0, first), "after all of them, the sound model answers as before"
    codes = collections.Counter(error for error, _ in results)
    assert set(codes) <= _ERRORS
    assert codes.total() - codes[0] > _COUNT / 4 and len(codes) >= 4
    assert codes[0] > _COUNT / 20, "or nothing that gets past verification is tried"


def test_with_checksums_all_of_a_thousand_mutants_give_errors(files):
    first, *results, last = _run("kws_mutants_checksums", [_SOUND, *files, _SOUND])
    assert first == last and first[0] == 0
    assert {error for error, _ in results} <= _ERRORS - {0}
