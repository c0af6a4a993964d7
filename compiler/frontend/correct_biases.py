"""Takes back what the rounding of a linear layer's weights adds to its results on average.

Weights W that are rounded to W + dW add dW x to the results. For inputs that are seldom negative, as behind a ReLU, these errors do not
cancel: they shift each channel by about dW mean(x), which is taken off the bias, at no cost on the device.
After Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2, with means from calibration
data. Convolutions sum over fewer weights and are left alone.
"""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.capture import attribute
from compiler.frontend.writer import Writer

aten = torch.ops.aten


class InputMean(torch.nn.Module):
    """Passes on float32 [..., features] and keeps the mean of each feature over all that it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.total: torch.Tensor | None = None
        self.rows = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.detach().reshape(-1, x.shape[-1]).double()
        total = rows.sum(0)
        self.total = total if self.total is None else self.total + total
        self.rows += len(rows)
        return x

    @property
    def mean(self) -> torch.Tensor:
        """float64 [features]"""
        return self.total / self.rows


def record_input_means(prepared: GraphModule) -> None:
    """Puts an InputMean in front of each linear layer of a module that prepare_pt2e has made."""
    for node in list(prepared.graph.nodes):
        if node.target is aten.linear.default:
            name = f"{node.name}_input_mean"
            prepared.add_submodule(name, InputMean())
            with prepared.graph.inserting_before(node):
                recorder = prepared.graph.call_module(name, (node.args[0],))
            node.replace_input_with(node.args[0], recorder)
    prepared.recompile()


def is_recorder(module: GraphModule, node: Node) -> bool:
    return node.op == "call_module" and isinstance(module.get_submodule(str(node.target)), InputMean)


def correct_biases(prepared: GraphModule) -> None:
    """Corrects the biases of linear layers by the means that have been recorded, and takes the recorders out again."""
    for recorder in [node for node in prepared.graph.nodes if is_recorder(prepared, node)]:
        (layer,) = recorder.users
        mean = prepared.get_submodule(str(recorder.target)).mean
        shift = _rounding_errors(prepared, layer.args[1]) @ mean
        bias = attribute(prepared, str(layer.args[2].target)).detach().double() if len(layer.args) > 2 and layer.args[2] else 0.0
        corrected = Writer(prepared, layer).constant(f"{layer.name}_bias", (bias - shift).float())
        layer.args = (recorder.args[0], layer.args[1], corrected)
        prepared.graph.erase_node(recorder)
        prepared.delete_submodule(str(recorder.target))
    prepared.recompile()


def _rounding_errors(prepared: GraphModule, observed: Node) -> torch.Tensor:
    """float64 [outputs, inputs]: by how much int8 changes each weight; `observed` is the weight behind its observer."""
    weight = attribute(prepared, str(observed.args[0].target)).detach()
    observer = prepared.get_submodule(str(observed.target))
    scale = observer.calculate_qparams()[0].reshape(-1, 1)
    steps = torch.clamp(torch.round(weight / scale), observer.quant_min, observer.quant_max)
    return steps.double() * scale.double() - weight.double()
