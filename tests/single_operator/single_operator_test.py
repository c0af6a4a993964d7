"""200 random models of a single operator give, on every core and on the host, the bytes of the integer references.

Environment: KINDLING_CORE, a core of platforms/cores.bzl or "host".
"""

import collections
import functools
import json
import pathlib

from tests.single_operator.programs import Result, decode_results
from tests.single_operator.random_models import FAMILIES
from tests.single_operator.run_programs import TIER, run_programs

HERE = pathlib.Path(__file__).absolute().parent
INVALID_PROGRAM = 0x23  # runtime/error.h
PROGRAMS = HERE / f"{TIER}.programs.bin"


@functools.cache
def models() -> list[dict]:
    return json.loads((HERE / "models.json").read_text())


@functools.cache
def expected() -> list[Result]:
    return list(decode_results((HERE / "expected.bin").read_bytes(), _output_bytes()))


def run(programs: bytes) -> list[Result]:
    return run_programs(programs, _output_bytes())


def _output_bytes() -> list[int]:
    return [model["output_bytes"] for model in models()]


def differences(results: list[Result]) -> list[str]:
    """What is not as expected, a line each, with the source of the first model."""
    lines = []
    for index, (result, wanted, model) in enumerate(zip(results, expected(), models(), strict=True)):
        if result == wanted:
            continue
        where = next((i for i, pair in enumerate(zip(result.outputs, wanted.outputs)) if pair[0] != pair[1]), None)
        what = f"error {result.error:#x} at instruction {result.next_instruction}" if result.error else f"byte {where}"
        lines.append(f"model {index}, {model['family']}, {' '.join(model['kernels'])}: {what}" + ("" if lines else f"\n{model['source']}"))
    return lines


def test_every_output_byte_is_the_references() -> None:
    assert differences(run(PROGRAMS.read_bytes())) == []


def test_there_are_200_models_of_all_families() -> None:
    families = collections.Counter(model["family"] for model in models() if model["dtype"] == "int8")
    assert families.total() == 200
    assert families.keys() == FAMILIES.keys()
    assert min(families.values()) >= 5


def test_all_families_compute_in_float_too() -> None:
    families = collections.Counter(model["family"] for model in models() if model["dtype"] == "float32")
    assert families.total() >= 90
    assert families.keys() == FAMILIES.keys()


def test_most_outputs_say_something() -> None:
    assert sum(len(set(result.outputs)) >= 5 for result in expected()) > 0.9 * len(models())


def test_a_byte_that_differs_is_seen() -> None:
    wrong = list(expected())
    changed = bytes([wrong[3].outputs[0] ^ 1]) + wrong[3].outputs[1:]
    wrong[3] = Result(0, 0, changed)
    (line,) = differences(wrong)
    assert line.startswith(f"model 3, {models()[3]['family']}, ") and "byte 0\nimport torch" in line


def test_a_program_that_is_damaged_is_an_error_of_its_own() -> None:
    programs = bytearray(PROGRAMS.read_bytes())
    at = programs.index(b"ET12")
    programs[at : at + 4] = b"ET13"
    damaged, *others = run(bytes(programs))
    assert damaged == Result(INVALID_PROGRAM, 0, b"")
    assert others == expected()[1:]
