"""A program with one field that is wrong, of any argument of any kernel, is refused when it is loaded, with the error that says why.

Environment: KINDLING_CORE, a core of platforms/cores.bzl or "host".
"""

import collections
import functools
import json
import pathlib

import pytest

from kernels.registry import KERNELS
from tests.single_operator.bad_arguments import INVALID_ARGUMENT, INVALID_TYPE, OK
from tests.single_operator.run_programs import CORE, TIER, run_programs

_HERE = pathlib.Path(__file__).absolute().parent


@functools.cache
def expected() -> list[tuple[str, int, int]]:
    """What is wrong, the error and the instruction."""
    return [tuple(row) for row in json.loads((_HERE / "bad.json").read_text())[TIER]]


@pytest.mark.parametrize("verification", ["structure", "full"])
def test_what_is_wrong_gives_its_error(verification: str) -> None:
    programs = (_HERE / f"{TIER}.{verification}.bad.bin").read_bytes()
    results = run_programs(programs, [0] * len(expected()))
    answers = [(what, result.error, result.next_instruction) for (what, _, _), result in zip(expected(), results, strict=True)]
    assert [pair for pair in zip(answers, expected()) if pair[0] != pair[1]] == []


def test_all_fields_of_arguments_of_most_kernels_are_tried() -> None:
    errors = collections.Counter(error for _, error, _ in expected())
    assert errors[INVALID_TYPE] > 200 and errors[INVALID_ARGUMENT] > 300
    assert errors[OK] < 0.15 * errors.total(), "ranks where kernels take any"
    named = {kernel for what, _, _ in expected() for kernel in what.partition(":")[0].split()}
    assert len(named) >= 50 and named <= KERNELS.keys()
    assert any("stride_height of Conv2dParams is 0" in what for what, _, _ in expected()), CORE
