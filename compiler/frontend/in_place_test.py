"""In-place operators compile where they are functions of their operands, and are refused where they are not."""

from pathlib import Path

import numpy as np
import pytest

from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.pte_compiler import serve
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

MODEL = """\
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        FORWARD

def build_model():
    return Model()

def example_inputs():
    return (torch.zeros(1, 4),)

def calibration():
    for seed in range(4):
        yield torch.randn(1, 4, generator=torch.Generator().manual_seed(seed))
"""

VIEWS = [
    "part = x[:, :2]; part.add_(1); return x * 2",
    "y = x + 1; part = y[:, 1:3]; part.relu_(); return y * 2",
    "y = x + 1; z = y.view(4); y.add_(1); return z * 2",
]

FUNCTIONS = [
    "return torch.relu_(x + 1).add_(x)",
    "y = x.clone(); y.mul_(8); return x + y",
    "y = (x + 1).view(4); return y.relu_()",
    "y = x + 1; a, b = y.chunk(2, 1); a.mul_(3); return torch.cat([a, b], 1)",
    "return nn.functional.dropout(x * 2, 0.5, False, inplace=True) + 1",
]


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(forward: str) -> None:
    Path("m.py").write_text(MODEL.replace("FORWARD", forward))


def refusal() -> str:
    exit_code, message = serve(["--srcs=m.py", "--entry=m:build_model", "--graph=m.graph"])
    assert exit_code == 1 and not Path("m.graph").exists()
    return message


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_program_that_was_exported_in_training_mode_is_refused(dtype):
    write("return x")
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    torch.export.save(torch.export.export(model, (torch.zeros(2, 4),)), "m.pt2")
    assert serve(["--entry=m.pt2", "--srcs=m.py", "--calibration=m:calibration", f"--dtype={dtype}", "--graph=m.graph"]) == (
        1,
        "error: layer 1: it is in training mode; call the model's eval() before torch.export",
    )


@pytest.mark.parametrize("forward", VIEWS)
def test_writing_through_a_view_of_what_is_read_later_is_refused(forward):
    write(forward)
    assert refusal().startswith("error: m.py:6: layer ") and "read afterwards through another view" in refusal()


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("forward", FUNCTIONS)
def test_what_is_a_function_of_its_operands_computes_what_the_model_says(forward, dtype):
    write(forward)
    request = ModelRequest("m", "m:build_model", "m:example_inputs", "m:calibration", ("m.py",), dtype)
    program = lower(run_passes(build_graph(request)), "scalar", OPERATORS)
    names: dict = {}
    exec(Path("m.py").read_text(), names)
    for (x,) in zip(names["calibration"]()):
        results = run_program(program, OPERATORS, {"x": to_firmware(program.inputs[0], x.numpy())})
        (port,) = program.outputs
        with torch.no_grad():
            wanted = names["build_model"]().eval()(x.clone()).numpy()
        tolerance = 2 * port.type.scale + 8 * program.inputs[0].type.scale if dtype == "int8" else 1e-6
        assert np.abs(from_firmware(port, results[port.name]) - wanted).max() <= tolerance
