"""Programs for the program runner (program_runner.cc), and what it makes of them.

programs.bin is a sequence of little-endian u32 and data: magic, number of programs, then for each

    bytes of the .pte, bytes of the kernels' names, number of kernels, bytes of the region, number of values, of inputs, of outputs, of runs,
    1 for verification of the structure or 2 for all
    per kernel, in the order of the .pte's operators: index in kernels/registry.py
    the names, each padded to four bytes with one zero at least
    of each input, then of each output: bytes, dtype (index in DTYPES), rank, eight sizes of which the last ones may be unused
    the .pte, then for each run its inputs

results.bin, for each program: error, next instruction, and if there is no error the outputs of each run.
"""

import dataclasses
import json
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from compiler.compile import Compiled
from kernels.registry import KERNELS

MAGIC = 0x4E534C4B  # "KLSN"
DTYPES = ("uint8", "int8", "int16", "int32", "float32")


def encode_programs(programs: Sequence[tuple[Compiled, Sequence[bytes]]], full: bool = False) -> bytes:
    """programs.bin of compiled models, each with the inputs of its runs; verified in `full` or only in their structure."""
    return struct.pack("<II", MAGIC, len(programs)) + b"".join(_encoded(*program, 1 + full) for program in programs)


def _encoded(compiled: Compiled, runs: Sequence[bytes], verification: int) -> bytes:
    plan, operators = json.loads(compiled.plan), json.loads(compiled.ops)["operators"]
    (region,) = plan["regions"]
    names = b"".join(_padded_name(operator["name"]) for operator in operators)
    inputs, outputs = plan["inputs"], plan["outputs"]
    words = [len(compiled.pte), len(names), len(operators), region["bytes"], plan["values"], len(inputs), len(outputs), len(runs), verification]
    for operator in operators:
        words.append(list(KERNELS).index(operator["kernel"]))
    ports = b"".join(_encoded_port(port) for port in (*plan["inputs"], *plan["outputs"]))
    return struct.pack(f"<{len(words)}I", *words) + names + ports + compiled.pte + b"".join(runs)


def _encoded_port(port: dict[str, Any]) -> bytes:
    shape = port["shape"]
    return struct.pack("<11I", port["bytes"], DTYPES.index(port["dtype"]), len(shape), *shape, *[0] * (8 - len(shape)))


def _padded_name(name: str) -> bytes:
    return name.encode() + bytes(4 - len(name) % 4)


@dataclasses.dataclass(frozen=True)
class Result:
    """`outputs` of all runs, one behind the other; empty if there was an error."""

    error: int
    next_instruction: int
    outputs: bytes


def encode_results(outputs: Sequence[bytes]) -> bytes:
    """results.bin of programs that all run."""
    return b"".join(bytes(8) + output for output in outputs)


def decode_results(data: bytes, output_bytes: Sequence[int]) -> Iterator[Result]:
    """Of programs that give `output_bytes` in all their runs. Raises ValueError if that is not what `data` holds."""
    at = 0
    for size in output_bytes:
        error, instruction = struct.unpack_from("<II", data, at)
        outputs = b"" if error else data[at + 8 : at + 8 + size]
        at += 8 + len(outputs)
        yield Result(error, instruction, outputs)
    if at != len(data):
        raise ValueError(f"results.bin has {len(data)} bytes, not {at}")
