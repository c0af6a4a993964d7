"""Models for tests of the front end, as a user would write them."""

from pathlib import Path

import pytest

from compiler.frontend.build_graph import ModelRequest

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}

    def forward(self, x):
        {forward}

def build_model():
    torch.manual_seed(1)
    model = Model()
    for layer in model.modules():
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.uniform_(layer.running_mean, -0.5, 0.5)
            nn.init.uniform_(layer.running_var, 0.5, 2.0)
            nn.init.uniform_(layer.weight, 0.5, 2.0)
            nn.init.uniform_(layer.bias, -0.5, 0.5)
    return model

def example_inputs():
    return (torch.zeros({shape}),)

def calibration():
    for seed in range(16):
        yield (torch.randn({shape}, generator=torch.Generator().manual_seed(seed)),)
"""


def write_model(folder: Path, shape: tuple[int, ...], layers: str, forward: str) -> ModelRequest:
    text = SOURCE.format(layers=layers, forward=forward, shape=", ".join(map(str, shape)))
    (folder / "model.py").write_text(text)
    return ModelRequest("model", "model:build_model", "model:example_inputs", "model:calibration", ("model.py",))


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
