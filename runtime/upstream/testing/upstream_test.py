"""Programs that upstream made, on the host under AddressSanitizer and UndefinedBehaviorSanitizer."""

import os
import pathlib
import random
import re
import struct
import subprocess

import numpy as np
import pytest

from compiler.pte.reader import read_pte
from compiler.pte_inspect import report
from runtime.upstream import import_pte

_RUNNER = pathlib.Path(__file__).parents[1] / "run_pte"
_MODELS = sorted(pathlib.Path(__file__).parent.glob("models/*.pte"))
# Of functions that are a few units in the last place off, here and there, and of sums in another order; see operators/functions.h.
_ROUNDED_OTHERWISE = ("aten_encoder", "aten_functions", "aten_recurrent")
_NAMES = [model.stem for model in _MODELS]


def _run(folder: pathlib.Path, *programs: tuple[bytes, bytes]) -> list[tuple[str, bytes]]:
    """What run_pte says of each program on its inputs, and the outputs."""
    arguments: list[pathlib.Path] = []
    for number, files in enumerate(programs):
        paths = [folder / f"{number}.{kind}" for kind in ("pte", "in", "out")]
        for path, content in zip(paths, files):
            path.write_bytes(content)
        arguments += paths
    options = {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([_RUNNER, *arguments], capture_output=True, text=True, env=os.environ | options)
    said = done.stdout.splitlines()
    assert done.returncode in (0, 1) and len(said) == len(programs) and not done.stderr, done.stderr[-3000:]
    outputs = [path.read_bytes() if path.exists() else b"" for path in arguments[2::3]]
    return list(zip(said, outputs))


def _inputs(model: pathlib.Path) -> bytes:
    return model.with_suffix(".inputs.bin").read_bytes()


@pytest.mark.parametrize("model", _MODELS, ids=_NAMES)
def test_outputs_are_the_bytes_that_upstream_computes(model, tmp_path):
    ((said, outputs),) = _run(tmp_path, (model.read_bytes(), _inputs(model)))
    assert re.fullmatch(r"ok: \d+ bytes of regions, \d+ of the method's arena", said)
    expected = model.with_suffix(".expected.bin").read_bytes()
    if model.stem in _ROUNDED_OTHERWISE:
        np.testing.assert_allclose(np.frombuffer(outputs, np.float32), np.frombuffer(expected, np.float32), rtol=2e-6, atol=5e-7)
    else:
        assert outputs == expected


def test_an_operator_that_is_not_here_is_named(tmp_path):
    model = next(model for model in _MODELS if model.stem == "aten_mlp")
    renamed = model.read_bytes().replace(b"aten::relu", b"aten::rely")
    ((said, _),) = _run(tmp_path, (renamed, _inputs(model)))
    assert said == "error 0x14 at instruction 2, aten::rely.out: there is no such operator"


@pytest.mark.parametrize("model", _MODELS, ids=_NAMES)
def test_a_damaged_program_is_an_error_or_an_answer(model, tmp_path):
    sound, choose = model.read_bytes(), random.Random(model.stem)
    flatbuffer = struct.unpack_from("<Q", sound, 16)[0] if sound[8:12] == b"eh00" else len(sound)
    run_inputs = _inputs(model)[: len(_inputs(model)) // 3]

    def damaged() -> bytes:
        program = bytearray(sound)
        for _ in range(choose.choice((1, 1, 3))):
            at = choose.randrange(8, flatbuffer)
            program[at] = choose.choice((program[at] ^ 1 << choose.randrange(8), 0, 255, choose.randrange(256)))
        return bytes(program[: choose.choice((len(sound), len(sound), choose.randrange(len(sound))))])

    said = [line for line, _ in _run(tmp_path, *((damaged(), run_inputs) for _ in range(200)))]
    errors = {line.split()[1] for line in said if line.startswith("error 0x")}
    assert len(errors) > 3 and sum(line.startswith("ok") for line in said) > 10


@pytest.mark.parametrize("model", _MODELS, ids=_NAMES)
def test_what_the_import_says_of_memory_and_ports_is_what_the_file_says(model):
    view = read_pte(model.read_bytes())
    ops, plan = import_pte.describe(model.stem, view)
    assert plan["arena_bytes"] == sum(view.methods[0].memory_bytes)
    assert sum(port["bytes"] for port in plan["inputs"]) * 3 == len(_inputs(model))
    assert sum(port["bytes"] for port in plan["outputs"]) * 3 == model.with_suffix(".expected.bin").stat().st_size
    assert {operator["name"] for operator in ops["operators"]} == set(view.methods[0].operators)


def test_the_import_refuses_an_operator_that_is_not_here():
    model = next(model for model in _MODELS if model.stem == "aten_mlp")
    view = read_pte(model.read_bytes().replace(b"aten::relu", b"aten::rely"))
    with pytest.raises(import_pte.UnsupportedProgramError, match=r"^instruction 2 is KernelCall aten::rely.out, which the runtime does not have$"):
        import_pte.describe("mlp", view)


def test_inspect_shows_the_numbers_that_lists_hold():
    model = next(model for model in _MODELS if model.stem == "aten_mix")
    shown = report(read_pte(model.read_bytes()))
    assert "aten::permute_copy.out  float[6,8]#6 IntList(1 0) float[8,6]@0+0" in shown
    assert "aten::cat.out  TensorList(float[2,4,6,6]@0+3456 float[2,4,6,6]@0+2304) Int(1)" in shown
