"""A model as its firmware computes it, on the host: for tests that hold int8 against float.

Works with the operators' integer references; every core computes the same bytes.
"""

import json

import numpy as np

from compiler.compile import LoweringRequest, lower_graph
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.ir import Graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.program import Program
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.operator import TIERS, Tier
from kernels.registry import OPERATORS


def quantise(module: str) -> Graph:
    """The quantised graph of a module with build_model, example_inputs and calibration, e.g. "models.vww.vww".

    The working directory must be the workspace. Raises CompileError.
    """
    functions = (f"{module}:{function}" for function in ("build_model", "example_inputs", "calibration"))
    return build_graph(ModelRequest(module.rpartition(".")[2], *functions, sources=()))


def program(graph: Graph) -> Program:
    """Lowered for the scalar tier; the others differ in how weights are packed, not in results."""
    return lower(run_passes(graph), "scalar", OPERATORS)


def outputs(program: Program, samples: np.ndarray) -> np.ndarray:
    """What the firmware answers, as real numbers: float32 [n, ...] of float32 [n, ...], both laid out like the PyTorch model's."""
    (source,), (result,) = program.inputs, program.outputs
    answers = [run_program(program, OPERATORS, {source.name: to_firmware(source, sample[None])}) for sample in samples]
    return np.concatenate([from_firmware(result, answer[result.name]) for answer in answers])


def arena_bytes(graph: Graph) -> dict[Tier, int]:
    """RAM for activations and working memory, as planned for each tier."""
    return {tier: json.loads(lower_graph(graph, LoweringRequest(tier)).plan)["arena_bytes"] for tier in TIERS}
