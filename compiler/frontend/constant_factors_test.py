"""Products and quotients with constants keep the precision of every constant."""

import pytest

from compiler.frontend.build_graph import quantise
from compiler.frontend.calibration import calibration_samples
from compiler.frontend.capture import capture
from compiler.frontend.end_to_end_test import check_program, write_model
from compiler.frontend.user_code import UserCode

import torch  # isort: skip  (after the front end, which sets it up)

MODELS = {
    "divisors": ((1, 4, 5), "pass", "return x / torch.tensor([1.0, 2.0, 4.0, 5.0, 3.0])", ["mul_s8"]),
    "integer divisors": ((1, 2, 3), "pass", "return x / torch.arange(1, 7).view(2, 3)", ["mul_s8"]),
    "integer factors and terms": (
        (1, 2, 3),
        "self.register_buffer('f', torch.tensor([2, 3, 4]))",
        "return x * self.f - torch.arange(1, 3).view(2, 1)",
        ["mul_s8", "add_s8"],
    ),
    "divisors of channels, far apart": (
        (1, 4, 6, 6),
        "self.register_buffer('d', torch.tensor([1.0, 2.0, 0.01, 100.0]).view(4, 1, 1))",
        "return x / self.d",
        ["depthwise_conv2d_s8"],
    ),
    "factors of channels, far apart": ((2, 4), "pass", "return torch.tensor([1.0, 0.0, 0.01, 2.0]) * x", ["depthwise_conv2d_s8"]),
    "factors of channels, alike": ((1, 4, 6), "pass", "return x * torch.tensor([1.0, 2.0, -3.0, 4.0]).view(4, 1)", ["mul_s8"]),
    "factors along the last axis": ((1, 3, 4), "pass", "return x * torch.tensor([1.0, 2.0, 0.01, 100.0])", ["mul_s8"]),
}


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODELS)
def test_the_program_computes_what_the_quantised_model_says(name, tmp_path):
    check_program(tmp_path, *MODELS[name])


def test_a_small_factor_of_a_large_channel_is_precise(tmp_path):
    request = write_model(tmp_path, (1, 2, 4, 4), "pass", "return x * torch.tensor([1.0, 0.001]).view(2, 1, 1)")
    text = (tmp_path / "model.py").read_text()
    (tmp_path / "model.py").write_text(text.replace("yield (", "yield (torch.tensor([1.0, 1000.0]).view(2, 1, 1) * "))
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
        model = quantise(captured, calibration_samples(request.calibration, code, captured), code)
    wanted = torch.linspace(-2, 2, 16).view(4, 4)
    (result,) = torch.utils._pytree.tree_leaves(model(torch.stack([wanted, 1000 * wanted])[None]))
    assert (result[0, 1] - wanted).abs().max() < 0.04
