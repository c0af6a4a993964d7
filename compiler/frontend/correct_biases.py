"""Takes back what the rounding of a layer's weights adds to its results on average.

Weights W that are rounded to W + dW add dW x to the results. For inputs that are seldom negative, as behind a ReLU, these errors
do not cancel: they shift each channel by about dW mean(x), which is taken off the bias, at no cost on the device.
After Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2, with means from
calibration data: of every element of the input, so that what convolutions see beyond the edges counts too.
"""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.inline import TWIN
from compiler.frontend.nodes import attribute
from compiler.frontend.quantiser import WEIGHTED
from compiler.frontend.writer import Writer

aten = torch.ops.aten


class InputMean(torch.nn.Module):
    """Passes on tensors of one shape, float32, and keeps the mean of each element."""

    def __init__(self) -> None:
        super().__init__()
        self.total: torch.Tensor | None = None
        self.count = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total = x.detach().double() if self.total is None else self.total + x.detach()
        self.count += 1
        return x

    @property
    def mean(self) -> torch.Tensor:
        """float64, in the shape of the tensors"""
        return self.total / self.count


def record_input_means(prepared: GraphModule) -> None:
    """Puts an InputMean in front of each layer with weights of a module that prepare_pt2e has made."""
    for node in list(prepared.graph.nodes):
        if node.target in WEIGHTED:
            name = f"{node.name}_input_mean"
            prepared.add_submodule(name, InputMean())
            with prepared.graph.inserting_before(node):
                recorder = prepared.graph.call_module(name, (node.args[0],))
            node.args = (recorder, *node.args[1:])
    prepared.recompile()


def is_recorder(module: GraphModule, node: Node) -> bool:
    return node.op == "call_module" and isinstance(module.get_submodule(str(node.target)), InputMean)


def correct_biases(prepared: GraphModule) -> None:
    """Corrects biases by the means that have been recorded, and takes the recorders out again."""
    recorders = [node for node in prepared.graph.nodes if is_recorder(prepared, node)]
    means = _means(prepared, recorders)
    for recorder in recorders:
        (layer,) = recorder.users
        x, weight, bias, *settings = (*layer.args, None)[: max(len(layer.args), 3)]
        errors = layer.target(means[recorder], _rounding_errors(prepared, weight), None, *settings)
        channel = errors.dim() - 1 if layer.target is aten.linear.default else 1
        shift = errors.transpose(0, channel).reshape(errors.shape[channel], -1).mean(1)
        before = attribute(prepared, str(bias.target)).detach().double() if bias is not None else 0.0
        corrected = Writer(prepared, layer).constant(f"{layer.name}_bias", (before - shift).float())
        layer.args = (recorder.args[0], weight, corrected, *settings)
        prepared.graph.erase_node(recorder)
        prepared.delete_submodule(str(recorder.target))
    prepared.recompile()


def _means(prepared: GraphModule, recorders: list[Node]) -> dict[Node, torch.Tensor]:
    """Of each recorder what it has seen; twins (inline.py) have one mean, as they have one bias."""
    groups: dict[object, list[Node]] = {}
    for recorder in recorders:
        (layer,) = recorder.users
        groups.setdefault(layer.meta.get(TWIN, layer), []).append(recorder)
    means = {}
    for group in groups.values():
        mean = sum(prepared.get_submodule(str(recorder.target)).mean for recorder in group) / len(group)
        means |= dict.fromkeys(group, mean)
    return means


def _rounding_errors(prepared: GraphModule, observed: Node) -> torch.Tensor:
    """float64, in the shape of the weight: by how much int8 changes it; `observed` is the weight behind its observer."""
    weight = attribute(prepared, str(observed.args[0].target)).detach()
    observer = prepared.get_submodule(str(observed.target))
    scale = observer.calculate_qparams()[0].reshape([-1 if axis == observer.ch_axis else 1 for axis in range(weight.dim())])
    steps = torch.clamp(torch.round(weight / scale), observer.quant_min, observer.quant_max)
    return steps.double() * scale.double() - weight.double()
