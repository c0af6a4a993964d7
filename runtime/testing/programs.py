"""Programs for run_programs.cc: one that is sound, and what it answers to any other."""

import dataclasses
import pathlib
import re
import struct
import subprocess
import unittest.mock
from collections.abc import Callable, Iterable
from typing import Any

from compiler.pte import writer
from compiler.pte.contents import Contents, KernelCall, Method, ScalarType, TensorValue

_ERROR_H = pathlib.Path(__file__).parents[1] / "error.h"
ERRORS = {name: int(code, 16) for name, code in re.findall(r"^  (\w+) = (0x\w+),", _ERROR_H.read_text(), re.MULTILINE)}

_RUNNER = pathlib.Path(__file__).with_name("run_programs")
OUTPUT_BYTES = 8
REGION_BYTES = (96, 16)


def values(**changes: TensorValue) -> tuple[TensorValue, ...]:
    """Of the sound program, some replaced by name: x, scale, y, add, scratch, z."""
    sound = {
        "x": TensorValue(ScalarType.CHAR, (1, 8), offset=5),
        "scale": TensorValue(ScalarType.BYTE, (8,), constant=0),
        "y": TensorValue(ScalarType.CHAR, (1, 2, 2, 2), memory=1),
        "add": TensorValue(ScalarType.BYTE, (12,), constant=1),
        "scratch": TensorValue(ScalarType.BYTE, (32,), offset=64),
        "z": TensorValue(ScalarType.CHAR, (8,), offset=16),
    }
    return tuple((sound | changes).values())


def method(**changes) -> Method:
    """z = (x + 3 x) * 2, with any field of the Method changed."""
    sound = Method(
        name="forward",
        values=values(),
        inputs=(0,),
        outputs=(5,),
        operators=("kindling::scale_s8", "kindling::add_s8"),
        calls=(KernelCall(0, (0, 1, 2)), KernelCall(1, (0, 2, 3, 4, 5))),
        memory_bytes=REGION_BYTES,
    )
    return dataclasses.replace(sound, **changes)


CONSTANTS = (struct.pack("<Ii", 8, 3), struct.pack("<Iii", 8, 2, 0))
ANSWER = bytes((4 * (i - 3) * 2) % 256 for i in range(OUTPUT_BYTES))


def program(constants: tuple[bytes, ...] = CONSTANTS, **changes) -> bytes:
    """The .pte of `method(**changes)`."""
    return writer.pte_bytes(Contents(methods=(method(**changes),), constants=constants))


def program_of(*methods: Method) -> bytes:
    """A .pte of several methods that share constants."""
    return writer.pte_bytes(Contents(methods=methods, constants=CONSTANTS))


def stateful_program(first: bytes | None = None, constants: tuple[bytes, ...] = CONSTANTS, **changes: TensorValue) -> bytes:
    """z = (x + sum) * 2, then sum = z * 3; `sum` lasts from run to run, and starts with the values `first`, or with zeros."""
    state = TensorValue(ScalarType.CHAR, (8,), memory=1, first=None if first is None else 0)
    calls = (KernelCall(1, (0, 2, 3, 4, 5)), KernelCall(0, (5, 1, 2)))
    stateful = method(values=values(**({"y": state} | changes)), calls=calls)
    return writer.pte_bytes(Contents((stateful,), constants, () if first is None else (first,)))


def altered_program(table: str, alter: Callable[[Any, dict[str, int]], dict[str, int]]) -> bytes:
    """The sound program, but for the fields of the tables of one kind: alter(writer, fields) says what they are instead."""

    class Altered(writer._Writer):
        def _table(self, name: str, **fields: int) -> int:
            return super()._table(name, **(alter(self, fields) if name == table else fields))

    with unittest.mock.patch.object(writer, "_Writer", Altered):
        return program()


@dataclasses.dataclass(frozen=True)
class Result:
    """`output` is empty if there was an error."""

    error: int
    instruction: int
    output: bytes


def run_programs(files: Iterable[bytes], **request: str | int | tuple[int, int]) -> list[Result]:
    """Runs the method `name` of each file; `request` may hold it and the fields of run_programs.cc's Request.

    Raises CalledProcessError if the runtime did what the sanitisers forbid.
    """
    files = list(files)
    stream = b"".join(_request(len(file), **request) + file for file in files)
    answer = subprocess.run([_RUNNER], input=stream, capture_output=True, check=True).stdout
    results, at = [], 0
    for _ in files:
        error, instruction = struct.unpack_from("<II", answer, at)
        at += 8
        output = b"" if error else answer[at : at + OUTPUT_BYTES]
        at += len(output)
        results.append(Result(error, instruction, output))
    assert at == len(answer)
    return results


def _request(
    file_bytes: int,
    *,
    name: str = "forward",
    instructions_a_step: int = 0,
    region_bytes: tuple[int, int] = REGION_BYTES,
    misaligned_file: int = 0,
    misaligned_region: int = 0,
    full: bool = False,
    checksums: bool = False,
    stateful: bool = False,
    runs: int = 1,
    disturbed: bool = False,
    branching: bool = False,
) -> bytes:
    flags = (1 + full, checksums, stateful, runs, disturbed, branching)
    numbers = (instructions_a_step, *region_bytes, misaligned_file, misaligned_region, *flags)
    return struct.pack(f"<{2 + len(numbers)}I", file_bytes, len(name), *numbers) + name.encode()
