"""Rounded weights no longer shift the results of layers; what float computes stays as it is."""

import numpy as np
import pytest

from compiler.accuracy.measure import without_observers
from compiler.frontend.build_graph import convert, observe
from compiler.frontend.capture import capture_module
from compiler.frontend.correct_biases import is_recorder
from compiler.frontend.user_code import UserCode

import torch  # isort: skip  (after the front end, which sets it up)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e  # isort: skip


class Linears(torch.nn.Module):
    """The same layer twice, on inputs of different means, and one without a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = torch.nn.Linear(64, 64)
        self.last = torch.nn.Linear(64, 8, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.shared(x.flatten(1)))
        return self.last(torch.relu(self.shared(x)))


class Convolutions(torch.nn.Module):
    """In groups and far beyond the edges; transposed; a pointwise one without a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = torch.nn.Conv2d(4, 16, 3, padding=2, dilation=2, groups=2)
        self.up = torch.nn.ConvTranspose2d(16, 16, 3, stride=2)
        self.last = torch.nn.Conv2d(16, 8, 1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.up(torch.relu(self.wide(x)))))


def samples(count: int, seed: int) -> list[tuple[torch.Tensor]]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.rand((1, 4, 4, 4), generator=generator) + 1,) for _ in range(count)]


def mean_errors(module: torch.nn.Module, model: torch.nn.Module) -> np.ndarray:
    """Per channel, over inputs that calibration has not seen."""
    with torch.no_grad():
        errors = [torch.utils._pytree.tree_leaves(module(*sample))[0] - model(*sample) for sample in samples(64, seed=2)]
    return torch.cat(errors).transpose(0, 1).flatten(1).mean(1).numpy()


def observed(model: torch.nn.Module) -> torch.fx.GraphModule:
    with UserCode(()) as code:
        captured = capture_module(code, model, samples(1, seed=0)[0], "x")
        return observe(captured, samples(48, seed=1), code)


@pytest.fixture(params=[Linears, Convolutions])
def model(request) -> torch.nn.Module:
    torch.manual_seed(5)
    return request.param().eval()


def without_recorders(prepared: torch.fx.GraphModule) -> torch.fx.GraphModule:
    for node in list(prepared.graph.nodes):
        if is_recorder(prepared, node):
            node.replace_all_uses_with(node.args[0])
            prepared.graph.erase_node(node)
    prepared.recompile()
    return prepared


def test_the_mean_error_of_results_is_a_fraction_of_what_it_was(model) -> None:
    corrected = np.abs(mean_errors(convert(observed(model)), model)).mean()
    plain = np.abs(mean_errors(convert_pt2e(without_recorders(observed(model))), model)).mean()
    assert corrected < plain / 2


def test_float_and_the_users_model_stay_as_they_were(model) -> None:
    before = [parameter.clone() for parameter in model.parameters()]
    prepared = observed(model)
    in_float = without_observers(prepared)
    convert(prepared)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters()))
    assert np.abs(mean_errors(in_float, model)).max() < 1e-6
