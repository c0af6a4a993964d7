"""Measures what int8 costs: layer by layer against float, and on labelled samples.

A layer's ratio compares the float model with PT2E's quantised one, which computes as the firmware does within a step of int8;
outputs and top-1 come from the lowered program, byte for byte what every core computes.
"""

from collections.abc import Iterable, Iterator, Sequence

import compiler.frontend.torch_environment  # noqa: F401  isort: skip  (before torch)
import numpy as np
import torch
from torch.fx import Graph, GraphModule, Interpreter, Node
from torchao.quantization.pt2e import FakeQuantizeBase, ObserverBase

from compiler.accuracy.accuracy import Accuracy, LayerError, Ratio, Top1
from compiler.accuracy.dataset import Dataset, read_dataset
from compiler.errors import CompileError
from compiler.frontend.build_graph import ModelRequest, convert, forget_earlier_work, observe
from compiler.frontend.calibration import calibration_samples
from compiler.frontend.capture import Captured, Sample, capture
from compiler.frontend.correct_biases import InputMean
from compiler.frontend.importer import Importer
from compiler.frontend.streams import RESET, Item, Stream
from compiler.frontend.user_code import UserCode
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.port_types import PortTypes
from compiler.program import Program
from compiler.reference import HostStream, from_firmware, to_firmware
from kernels.registry import OPERATORS

quantised = torch.ops.quantized_decomposed

# Beyond these, more samples change the ratios little.
LAYER_SAMPLES = 16


def measure(request: ModelRequest, dataset: str = "", io: PortTypes = PortTypes()) -> Accuracy:
    """The accuracy of the model that the request compiles to; of its first method, if there are several.

    Layers are compared over the first 16 samples of `dataset`, which has labels (dataset.py), or of the calibration data where
    there is none; `io` is what the firmware's inputs and outputs are. Raises CompileError.
    """
    if request.dtype != "int8":
        raise CompileError(f"a model that computes in {request.dtype} has no error of int8 to measure")
    forget_earlier_work()
    with UserCode(request.sources) as code:
        captured, *_ = capture(code, request.entry, request.example_inputs)
        if captured.converted:
            raise CompileError("a program that is quantised already has no float model to be measured against")
        prepared = observe(captured, calibration_samples(request.calibration, code, captured), code)
        in_float = without_observers(prepared)
        importer = Importer(request.name, captured, convert(prepared), code)
        program = lower(run_passes(importer.graph(), io=io), "scalar", OPERATORS)
        labelled = read_dataset(dataset, code, captured) if dataset else None
        origin = labelled.samples if labelled else calibration_samples(request.calibration, code, captured)
        items = tuple(_first_samples(origin))
    ratios = _ratios(in_float, importer, items)
    return Accuracy(
        model=request.name,
        samples=sum(item is not RESET for item in items),
        layers=tuple(
            LayerError(step.layer, step.call.operator, str(step.source or ""), ratios[tensor])
            for step in program.steps
            for tensor in step.outputs
            if tensor in ratios
        ),
        inputs={port.name: ratios[port.tensor] for port in program.inputs if port.tensor in ratios},
        outputs=_output_ratios(in_float, captured, program, items),
        top1=_top1(in_float, captured, program, labelled) if labelled else None,
    )


def _first_samples(origin: Iterable[Item]) -> Iterator[Item]:
    """As many as layers are compared over, and what is between them."""
    count = 0
    for item in origin:
        count += item is not RESET
        yield item
        if count == LAYER_SAMPLES:
            return


def without_observers(prepared: GraphModule) -> GraphModule:
    """The prepared model as it computes in float, observing nothing."""
    graph = Graph()
    graph.output(graph.graph_copy(prepared.graph, {}))
    module = GraphModule(prepared, graph)
    for node in list(graph.nodes):
        if node.op == "call_module" and isinstance(
            module.get_submodule(str(node.target)), (ObserverBase, FakeQuantizeBase, InputMean)
        ):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    module.recompile()
    return module


class _Recorder(Interpreter):
    """Runs a module on a sample's tensors and keeps the results of the nodes that are wanted, by name."""

    def __init__(self, module: GraphModule, wanted: Iterable[str]):
        super().__init__(module)
        self.wanted = frozenset(wanted)
        self.values: dict[str, torch.Tensor] = {}

    def run_node(self, n: Node) -> object:
        value = super().run_node(n)
        if n.name in self.wanted:
            self.values[n.name] = value
        return value

    def outputs(self, sample: Sample, states: Sample = ()) -> list[torch.Tensor]:
        """And the new states behind them."""
        with torch.no_grad():
            return torch.utils._pytree.tree_leaves(self.run(*sample, *states, enable_io_processing=False))


def _ratios(in_float: GraphModule, importer: Importer, items: Sequence[Item]) -> dict[str, Ratio]:
    """By the graph's tensors: int8 ones, and those between a layer and its rounding to int8, such as what goes into its clamp."""
    quantizes = [n for n in importer.module.graph.nodes if n.target is quantised.quantize_per_tensor.default]
    before = _Recorder(in_float, (n.args[0].name for n in quantizes))
    after = _Recorder(importer.module, (n.name for n in quantizes))
    ratios = {n: Ratio() for n in quantizes}
    streams = [Stream(importer.captured, recorder.outputs) for recorder in (before, after)]
    for item in items:
        for stream in streams:
            stream.feed(item)
        for n in quantizes if item is not RESET else ():
            _, scale, zero_point, *_ = n.args
            wanted = before.values[n.args[0].name].double()
            ratios[n] += _ratio(wanted, (after.values[n.name].double() - zero_point) * scale)
    return {importer.tensors[part]: ratio for n, ratio in ratios.items() for part in (n, *_rounded_by(n))}


def _rounded_by(quantize: Node) -> list[Node]:
    """The nodes that compute in float what is then quantised, or the input that it is."""
    parts, waiting = [], [quantize.args[0]]
    while waiting:
        node = waiting.pop()
        if node.op == "placeholder" or (node.op == "call_function" and node.target.namespace != "quantized_decomposed"):
            parts.append(node)
            waiting += node.all_input_nodes
    return parts


def _ratio(wanted: torch.Tensor, found: torch.Tensor) -> Ratio:
    return Ratio(float(wanted.square().sum()), float((found - wanted).square().sum()))


def _output_ratios(in_float: GraphModule, captured: Captured, program: Program, items: Sequence[Item]) -> dict[str, Ratio]:
    """Of outputs that are real numbers, not indices."""
    ratios = {port.name: Ratio() for port in program.outputs if port.type.dtype != "int32"}
    for wanted, answers in _both_answer(in_float, captured, program, items):
        for port, tensor in zip(program.outputs, wanted):
            if port.name in ratios:
                ratios[port.name] += _ratio(tensor.double(), torch.from_numpy(answers[port.name]).double())
    return ratios


def _top1(in_float: GraphModule, captured: Captured, program: Program, dataset: Dataset) -> Top1:
    if len(program.outputs) != 1:
        raise CompileError(f"top-1 needs a model with one output of scores; this one has {len(program.outputs)}")
    (port,) = program.outputs
    float_right = int8_right = agree = 0
    for ((scores,), answers), label in zip(_both_answer(in_float, captured, program, dataset.samples), dataset.labels):
        said, int8_said = int(scores.argmax()), int(answers[port.name].argmax())
        float_right += said == label
        int8_right += int8_said == label
        agree += said == int8_said
    return Top1(len(dataset.labels), float_right, int8_right, agree)


Answers = tuple[list[torch.Tensor], dict[str, np.ndarray]]


def _both_answer(in_float: GraphModule, captured: Captured, program: Program, items: Iterable[Item]) -> Iterator[Answers]:
    """For each sample the outputs in float, and by name those of the program as real numbers, in the user's order of axes."""
    in_float_stream, stream = Stream(captured, _Recorder(in_float, ()).outputs), HostStream(program, OPERATORS)
    for item in items:
        wanted = in_float_stream.feed(item)
        if item is RESET:
            stream.reset()
            continue
        inputs = {port.name: to_firmware(port, tensor.numpy()) for port, tensor in zip(program.inputs, item)}
        answers = stream.run(inputs)
        yield wanted, {port.name: from_firmware(port, answers[port.name]) for port in program.outputs}
