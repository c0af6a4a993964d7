"""Compiles random models of a single operator for all tiers, and computes by the references what they must answer.

Writes <tier>.programs.bin for each tier, expected.bin (programs.py: results.bin) and models.json into --folder. Also, of bad_arguments.py,
<tier>.<structure|full>.bad.bin for each tier and level of verification, and bad.json. Imports torch once for all.
"""

import json
import os
import pathlib
import tempfile

import numpy as np
from absl import app, flags

from compiler.compile import Compiled, LoweringRequest, lower_graph
from compiler.errors import CompileError
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.ir import Graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.port_types import PortType, PortTypes
from compiler.program import Program
from compiler.reference import run_program
from kernels.operator import TIERS, TensorType
from kernels.registry import OPERATORS
from tests.single_operator.bad_arguments import bad_programs
from tests.single_operator.programs import encode_programs, encode_results
from tests.single_operator.random_models import Model, random_models

_COUNT = flags.DEFINE_integer("count", 200, "Number of models in int8.")
_FLOAT_COUNT = flags.DEFINE_integer("float_count", 100, "How many of them are compiled to compute in float32 too, as far as they can be.")
_FOLDER = flags.DEFINE_string("folder", None, "Where to write.", required=True)

RUNS = 3


def graph_of(model: Model, dtype: str) -> Graph:
    """What the compiler's first stage makes of the model. Works in a folder of its own, as a user's workspace."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="kindling_") as workspace:
        os.chdir(workspace)
        try:
            pathlib.Path("model.py").write_text(model.source)
            return build_graph(
                ModelRequest("model", "model:build_model", "model:example_inputs", "model:calibration", ("model.py",), dtype)
            )
        finally:
            os.chdir(here)


def inputs_of(program: Program, rng: np.random.Generator, run: int) -> dict[str, np.ndarray]:
    """Any integers; in the second run only their ends. Floats lie about the range that the first step quantises, or about 0."""

    def array(type_: TensorType) -> np.ndarray:
        if type_.dtype == "float32":
            scale = program.steps[0].call.outputs[0].scale or 1 / 30
            return (rng.normal(0, 90, type_.shape) * scale).astype(np.float32)
        range_ = np.iinfo(type_.dtype)
        if run == 1:
            return rng.choice(np.array([range_.min, range_.max], type_.dtype), type_.shape)
        return rng.integers(range_.min, range_.max + 1, type_.shape).astype(type_.dtype)

    return {port.name: array(port.type) for port in program.inputs}


def program_of(graph: Graph, io: PortTypes) -> Program | None:
    """The lowered graph; None where a function has no float kernel."""
    try:
        return lower(run_passes(graph, io=io), "scalar", OPERATORS)
    except CompileError as error:
        if graph.is_quantised or "has no float kernel" not in error.reason:
            raise
        return None


def main(_) -> None:
    compiled: dict[str, list[tuple[Compiled, list[bytes]]]] = {tier: [] for tier in TIERS}
    expected, models = [], []
    counts = {"int8": _COUNT.value, "float32": _FLOAT_COUNT.value}
    for model, dtype in ((model, dtype) for dtype, count in counts.items() for model in random_models(count)):
        graph = graph_of(model, dtype)
        io = PortTypes(PortType(model.io, 2.0**-12 if dtype == "float32" and model.io == "int16" else 0.0))
        program = program_of(graph, io)
        if program is None:
            continue
        rng = np.random.default_rng(model.seed)
        runs = [inputs_of(program, rng, run) for run in range(RUNS)]
        answers = [run_program(program, OPERATORS, inputs) for inputs in runs]
        outputs = b"".join(answer[port.name].tobytes() for answer in answers for port in program.outputs)
        for tier in TIERS:
            files = lower_graph(graph, LoweringRequest(tier, io=io))
            compiled[tier].append((files, [b"".join(inputs[port.name].tobytes() for port in program.inputs) for inputs in runs]))
        expected.append(outputs)
        kernels = [step.kernel for step in program.steps]
        models.append({"family": model.family, "dtype": dtype, "source": model.source, "kernels": kernels, "output_bytes": len(outputs)})
    folder = pathlib.Path(_FOLDER.value)
    for tier in TIERS:
        (folder / f"{tier}.programs.bin").write_bytes(encode_programs(compiled[tier]))
    bad = {tier: list(bad_programs(files for files, _ in compiled[tier])) for tier in TIERS}
    for tier, programs in bad.items():
        for level in ("structure", "full"):
            encoded = encode_programs([(program.compiled, []) for program in programs], full=level == "full")
            (folder / f"{tier}.{level}.bad.bin").write_bytes(encoded)
    rows = {tier: [(program.what, program.error, program.instruction) for program in programs] for tier, programs in bad.items()}
    (folder / "bad.json").write_text(json.dumps(rows, indent=1))
    (folder / "expected.bin").write_bytes(encode_results(expected))
    (folder / "models.json").write_text(json.dumps(models, indent=1))


if __name__ == "__main__":
    app.run(main)
