"""What the firmware of tests/state answers is what the compiler's reference answers, which starts anew after each eight runs."""

import os
from pathlib import Path

import numpy as np
import pytest

from compiler.compile import LoweringRequest, lower_graph
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.pte.reader import read_pte
from compiler.reference import HostStream
from kernels.registry import OPERATORS
from toolchains.qemu import emulator

SEQUENCE, RUNS = 8, 24


def _recorded(dtype: str, mode: str, kind: str) -> bytes:
    return Path(os.environ[f"{dtype}_{mode}_{kind}".upper()]).read_bytes()


def _graph(dtype: str):
    functions = (f"tests.state.state:{name}" for name in ("build_model", "example_inputs", "calibration"))
    return build_graph(ModelRequest("state", *functions, (), dtype))


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_each_sequence_of_eight_begins_with_the_first_values(dtype: str) -> None:
    program = lower(run_passes(_graph(dtype)), "scalar", OPERATORS)
    ((source,), stream) = program.inputs, HostStream(program, OPERATORS)
    inputs = np.frombuffer(_recorded(dtype, "interpreted", "inputs"), dtype).reshape(RUNS, *source.type.shape)
    answers = []
    for index, array in enumerate(inputs):
        if index % SEQUENCE == 0:
            stream.reset()
        results = stream.run({source.name: array})
        answers += [results[port.name].tobytes() for port in program.outputs]
    assert b"".join(answers) == _recorded(dtype, "interpreted", "expected") == _recorded(dtype, "baked", "expected")


@pytest.mark.parametrize("mode", ["baked", "interpreted"])
def test_a_program_in_c_begins_sequences_too(mode: str, tmp_path: Path) -> None:
    (tmp_path / "input.bin").write_bytes(_recorded("int8", mode, "inputs"))
    emulator.run_elf(elf=Path(f"tests/state/through_c_{mode}.elf"), core="m0plus", directory=tmp_path, timeout_s=60)
    assert (tmp_path / "output.bin").read_bytes() == _recorded("int8", mode, "expected")


def test_first_values_that_are_zeros_are_not_in_the_file() -> None:
    """Of float32 the memory is, the ring is not; a ring of int8 is there as it is quantised, and zeros are where zero is not 0."""
    for dtype, itemsize in {"float32": 4, "int8": 1}.items():
        graph = _graph(dtype)
        ring, memory = graph.states
        assert (ring.name, memory.name) == ("heard", "memory")
        file = lower_graph(graph, LoweringRequest("scalar")).pte
        view = read_pte(file)
        assert len(view.first_value_offsets) == (2 if dtype == "float32" else 3)
        start, _ = view.segments[view.first_value_segment]
        values = np.frombuffer(file, dtype, 30, start)
        if dtype == "float32":
            assert np.array_equal(values.reshape(5, 6), ring.first.reshape(6, 5).T)
        else:
            assert values[0] == values.min() and values[-1] == values.max() and len(set(values)) > 20
