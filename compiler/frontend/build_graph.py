"""From the user's Python to a graph: export, quantise and calibrate unless it is to compute in float, import."""

import dataclasses
import random
from collections.abc import Iterable

import compiler.frontend.torch_environment  # noqa: F401  isort: skip  (before torch)
import numpy as np
import torch
from torch.fx import GraphModule
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from compiler import ir
from compiler.errors import CompileError
from compiler.frontend.calibrate import calibrate
from compiler.frontend.calibration import calibration_samples
from compiler.frontend.capture import Captured, capture
from compiler.frontend.constant_factors import rewrite_constant_factors
from compiler.frontend.correct_biases import correct_biases, record_input_means
from compiler.frontend.float_rewrites import fold_batch_norms, rewrite_converted, rewrite_float
from compiler.frontend.importer import import_graph
from compiler.frontend.masks import FLOAT_DEPTH, fill_masks, fill_masks_by_data
from compiler.frontend.quantiser import Int8Quantiser
from compiler.frontend.streams import Item
from compiler.frontend.user_code import UserCode


@dataclasses.dataclass(frozen=True)
class ModelRequest:
    """What to compile. References are "module:function"; `calibration` may be a .npz or a folder too (calibration.py).

    `dtype` is what the model computes in: "int8", or "float32", which needs no calibration.
    """

    name: str
    entry: str
    example_inputs: str
    calibration: str
    sources: tuple[str, ...]
    dtype: str = "int8"


def build_graph(request: ModelRequest) -> ir.Graph:
    """The graph of a model of one method."""
    (graph,) = build_graphs(request)
    return graph


def build_graphs(request: ModelRequest) -> tuple[ir.Graph, ...]:
    """The model's methods as tier-neutral graphs, with quantize and dequantize nodes if they are to compute in int8. Raises CompileError."""
    forget_earlier_work()
    with UserCode(request.sources) as code:
        methods = capture(code, request.entry, request.example_inputs)
        return tuple(_graph(request, captured, code) for captured in methods)


def _graph(request: ModelRequest, captured: Captured, code: UserCode) -> ir.Graph:
    if request.dtype == "float32":
        return import_graph(request.name, captured, in_float(captured, code), code)
    samples = calibration_samples(request.calibration, code, captured)
    return import_graph(request.name, captured, quantise(captured, samples, code), code)


def in_float(captured: Captured, code: UserCode) -> GraphModule:
    """The captured model as it is compiled to compute in float. Raises CompileError."""
    if captured.trained:
        raise CompileError("a model trained for int8 (qat.prepare) cannot be compiled to float32; compile the model that it was made of")
    if captured.converted:
        raise CompileError("a program that is quantised already cannot be compiled to float32; compile the model that it was made of")
    rewrite_float(captured.module, code)
    fill_masks(captured.module, lambda _: FLOAT_DEPTH)
    fold_batch_norms(captured.module)
    return captured.module


def quantise(captured: Captured, samples: Iterable[Item], code: UserCode) -> GraphModule:
    """The captured model as PT2E converts it, or has converted it for the user."""
    if captured.converted:
        rewrite_converted(captured.module, code)
        return captured.module
    return convert(observe(captured, samples, code))


def observe(captured: Captured, samples: Iterable[Item], code: UserCode) -> GraphModule:
    """The captured model with observers that have seen the samples, computing in float; or with what its training has put there."""
    if captured.trained:
        return captured.module
    rewrite_float(captured.module, code)
    rewrite_constant_factors(captured.module)
    samples = fill_masks_by_data(captured.module, captured, samples)
    prepared = prepare_pt2e(captured.module, Int8Quantiser(states=len(captured.states)))
    record_input_means(prepared)
    calibrate(prepared, captured, samples, code)
    return prepared


def convert(observed: GraphModule) -> GraphModule:
    """int8 weights, and quantize and dequantize around float operators."""
    correct_biases(observed)
    return convert_pt2e(observed)


def forget_earlier_work() -> None:
    """Everything that one compile could leave behind for the next in the same process."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.set_num_threads(1)
    torch._dynamo.reset()
