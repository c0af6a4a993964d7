"""Cases for the case runner (case_runner.cc): calls with their inputs, what must come out, and how buffers may overlap.

cases.bin is a sequence of little-endian u32 and data: magic, number of cases, then for each case

    kernel (index in kernels/registry.py), expected error of its check, number of arguments,
    per argument: role (0 input, 1 params, 2 scratch, 3 output), bytes, alignment
    number of overlaps, per overlap: input, lead
    data of each argument but scratch, padded to four bytes; of an output: what must come out

results.bin: magic, number of failures, then for each of the first failures: case, overlap (-1: buffers apart), what, where,
actual, expected.
"""

import dataclasses
import struct
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier
from kernels.registry import KERNELS, OPERATORS

MAGIC = 0x5341434B  # "KCAS"
INVALID_ARGUMENT = 0x12  # runtime/error.h
ANY_ERROR = 0xFFFFFFFF  # the check may say what it likes; if it passes, the outputs are not compared, only their surroundings

_ROLES = {"input": 0, "params": 1, "scratch": 2, "output": 3}
_WHATS = {1: "check", 2: "output byte", 3: "byte outside the output", 4: "input byte"}


@dataclasses.dataclass(frozen=True)
class Argument:
    role: str
    data: bytes  # of scratch, any content: only its length counts
    alignment: int = 1


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel, its arguments in the instruction's order, (input, lead) of overlaps to try, and what its check must say."""

    kernel: str
    arguments: tuple[Argument, ...]
    overlaps: tuple[tuple[int, int], ...] = ()
    error: int = 0

    def encode(self) -> bytes:
        kernel = list(KERNELS).index(self.kernel)
        words = [kernel, self.error, len(self.arguments)]
        for argument in self.arguments:
            words += [_ROLES[argument.role], len(argument.data), argument.alignment]
        words += [len(self.overlaps), *(number for overlap in self.overlaps for number in overlap)]
        data = b"".join(a.data + bytes(-len(a.data) % 4) for a in self.arguments if a.role != "scratch")
        return struct.pack(f"<{len(words)}I", *words) + data


def case_of(call: Call, tier: Tier, inputs: Sequence[np.ndarray], *, extra_leads: Sequence[int] = (0, 1, 13)) -> Case:
    """The case of a call: outputs by the operator's reference, overlaps at the stated lead and some bytes more."""
    operator = OPERATORS[call.operator]
    kernel = operator.kernel(call, tier)
    outputs = operator.reference(call, inputs)
    scratch = operator.scratch_bytes(call, tier)
    if bool(scratch) != KERNELS[kernel].scratch:
        raise ValueError(f"{kernel} has {scratch} bytes of scratch, which its signature contradicts")
    alignment = max(tensor.itemsize for tensor in (*inputs, *outputs))  # of all: they may come to lie over each other
    arguments = [Argument("input", x.tobytes(), alignment) for x in inputs]
    arguments.append(Argument("params", operator.pack(call, tier), 16))
    if scratch:
        arguments.append(Argument("scratch", bytes(scratch), 8))
    arguments += [Argument("output", np.ascontiguousarray(y).tobytes(), alignment) for y in outputs]
    overlaps = []
    for index in range(len(inputs)):
        lead = operator.overlap_lead(call, tier, index)
        if lead is not None:
            overlaps += [(index, -(-lead // alignment + -extra) * alignment) for extra in extra_leads]
    return Case(kernel, tuple(arguments), tuple(overlaps))


def encode_cases(cases: Sequence[Case]) -> bytes:
    """The content of cases.bin."""
    return struct.pack("<II", MAGIC, len(cases)) + b"".join(case.encode() for case in cases)


def failures(results: bytes, cases: Sequence[Case]) -> list[str]:
    """What results.bin says went wrong, a line each. Raises ValueError if it is not the result of these cases."""
    magic, ran, failed = struct.unpack_from("<III", results)
    if magic != MAGIC or ran != len(cases):
        raise ValueError(f"the case runner ran {ran} of {len(cases)} cases")
    lines = []
    for index, overlap, what, where, actual, expected in struct.iter_unpack("<iiiiii", results[12:]):
        case = cases[index]
        place = "apart" if overlap < 0 else "output {1} bytes before input {0}".format(*case.overlaps[overlap])
        lines.append(f"case {index}, {case.kernel}, {place}: {_WHATS[what]} {where} is {actual}, not {expected}")
    if len(lines) < failed:
        lines.append(f"and {failed - len(lines)} more")
    return lines
