"""A model that was fine-tuned with fake quantisation compiles to integers that say what it said in training."""

from pathlib import Path

import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.frontend import qat
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.pte_compiler import serve
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

MODEL = """
import torch
import torch.nn.functional as F
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8, eps=1e-3)
        self.depthwise, self.point = nn.Conv2d(8, 8, 3, groups=8), nn.Conv2d(8, 8, 1)
        self.drop, self.last = nn.Dropout(), nn.Linear(8, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = x[:, :, 1:-1, 1:-1] + F.hardswish(self.point(F.relu6(self.depthwise(x))))
        return torch.softmax(self.last(self.drop(x.mean((2, 3)))), -1)

def example_inputs():
    return (torch.zeros(1, 2, 8, 8),)
"""

ENTRY = """
from compiler.frontend import qat

def build_model():
    model = qat.prepare(Model(), example_inputs())
    model.load_state_dict(torch.load("weights.pt"))
    return model
"""


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL + ENTRY)


@pytest.fixture
def trained() -> torch.fx.GraphModule:
    """Fine-tuned for a few steps: tell which of two channels is larger."""
    namespace: dict = {}
    exec(MODEL, namespace)
    torch.manual_seed(1)
    model = namespace["Model"]()
    model.train()(torch.randn(32, 2, 8, 8))  # something for the batch norm to know
    prepared = qat.prepare(model.eval(), namespace["example_inputs"]()).train()
    optimiser = torch.optim.SGD(prepared.parameters(), lr=0.05)
    losses = []
    for step in range(60):
        x = torch.randn(1, 2, 8, 8) + torch.randn(1, 2, 1, 1)
        label = torch.tensor([int(x[0, 0].mean() > x[0, 1].mean())])
        loss = torch.nn.functional.nll_loss(torch.log(prepared(x) + 1e-3), label)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert np.mean(losses[-20:]) < np.mean(losses[:20]), "gradients pass through the rounding"
    return qat.freeze(prepared.eval())


def test_integers_say_what_fake_quantisation_said(trained) -> None:
    torch.save(trained.state_dict(), "weights.pt")
    request = ModelRequest("model", "model:build_model", "model:example_inputs", "model:calibration", ("model.py",))
    program = lower(run_passes(build_graph(request)), "scalar", OPERATORS)
    assert [step.kernel for step in program.steps][:2] == ["conv2d_s8", "copy_s8"]
    assert str(program.steps[0].source) == "model.py:14", "lines survive training"
    (port,), (result,) = program.inputs, program.outputs
    for seed in range(8):
        x = to_firmware(port, torch.randn(1, 2, 8, 8, generator=torch.Generator().manual_seed(seed)).numpy())
        with torch.no_grad():
            (wanted,) = torch.utils._pytree.tree_leaves(trained(torch.from_numpy(from_firmware(port, x))))
        steps = (
            from_firmware(result, run_program(program, OPERATORS, {port.name: x})[result.name]) - wanted.numpy()
        ) / result.type.scale
        assert np.abs(np.rint(steps)).max() <= 1


def test_training_leaves_the_given_model_alone() -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2)).eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    prepared = qat.prepare(model, torch.zeros(1, 1, 5, 5))
    with torch.no_grad():
        for parameter in prepared.parameters():
            parameter.add_(1.0)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_frozen_model_learns_no_more_ranges() -> None:
    prepared = qat.prepare(torch.nn.Linear(4, 2), torch.zeros(1, 4))
    prepared(torch.randn(1, 4))
    qat.freeze(prepared)
    before = {name: value.clone() for name, value in prepared.state_dict().items()}
    prepared(100 * torch.randn(1, 4))
    assert all(torch.equal(value, before[name]) for name, value in prepared.state_dict().items())


def test_what_cannot_be_compiled_cannot_be_prepared() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.erfinv(x)

    with pytest.raises(CompileError, match="layer erfinv: operator aten.erfinv is not supported"):
        qat.prepare(Model(), torch.zeros(1, 4))


def test_weights_of_a_trained_model_that_are_not_numbers_are_refused(trained) -> None:
    state = trained.state_dict()
    state["last.bias"] = torch.full((3,), float("nan"))
    torch.save(state, "weights.pt")
    exit_code, message = serve(["--entry=model:build_model", "--srcs=model.py", "--tier=mve", "--pte=m.pte"])
    assert (exit_code, message) == (1, "error: model.py:16: layer last: its bias holds NaN or infinity")
