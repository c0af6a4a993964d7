"""For tests: a module compiled in a few lines, and how near its answers are to PyTorch's."""

import numpy as np

from compiler.frontend.build_graph import forget_earlier_work, in_float, quantise
from compiler.frontend.capture import capture_module
from compiler.frontend.importer import import_graph
from compiler.frontend.user_code import UserCode
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.program import Program
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.operator import Tier
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

Shapes = tuple[tuple[int, ...], ...]
"""Of a model's inputs, without the batch axis, which is 1."""


def noise(shapes: Shapes, batch: int, seed: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn((batch, *shape), generator=generator) for shape in shapes)


def compiled(model: torch.nn.Module, shapes: Shapes, dtype: str = "int8", *, samples: int = 48, tier: Tier = "scalar") -> Program:
    """The program of a model that computes in `dtype`, calibrated with noise."""
    forget_earlier_work()
    with UserCode(()) as code:
        captured = capture_module(code, model, noise(shapes, 1, seed=3), type(model).__name__)
        calibration = zip(*(tensor.split(1) for tensor in noise(shapes, samples, seed=4)))
        module = in_float(captured, code) if dtype == "float32" else quantise(captured, calibration, code)
        graph = import_graph("model", captured, module, code)
    return lower(run_passes(graph), tier, OPERATORS)


def signal_to_noise(model: torch.nn.Module, program: Program, shapes: Shapes, samples: int = 12) -> float:
    """The least of all outputs, in dB, over noise that calibration has not seen."""
    signal, error = np.zeros(len(program.outputs)), np.zeros(len(program.outputs))
    for sample in zip(*(tensor.split(1) for tensor in noise(shapes, samples, seed=5))):
        inputs = {port.name: to_firmware(port, tensor.numpy()) for port, tensor in zip(program.inputs, sample, strict=True)}
        answers = run_program(program, OPERATORS, inputs)
        with torch.inference_mode():
            wanted = torch.utils._pytree.tree_leaves(model(*sample))
        for i, (port, tensor) in enumerate(zip(program.outputs, wanted, strict=True)):
            exact = tensor.numpy().astype(np.float64)
            signal[i] += np.square(exact).sum()
            error[i] += np.square(from_firmware(port, answers[port.name]) - exact).sum()
    return float((10 * np.log10(signal / np.maximum(error, 1e-30))).min())
