"""Published weights go where they belong, and only there."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from models.official import load_folded

WEIGHTS = {
    "00_conv.weight": np.full((4, 2, 1, 1), 0.5, np.float32),
    "00_conv.bias": np.array([1, 2, 3, 4], np.float32),
    "01_dwconv.weight": np.full((4, 1, 1, 1), 2.0, np.float32),
    "01_dwconv.bias": np.full(4, 10.0, np.float32),
    "02_linear.weight": np.ones((1, 4), np.float32),
    "02_linear.bias": np.array([0.25], np.float32),
}


def _model(classes: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(2, 4, 1, bias=False), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1, groups=4), nn.Flatten(), nn.Linear(4, classes)
    )


@pytest.fixture
def npz(tmp_path: Path):
    def write(**changed: np.ndarray) -> Path:
        path = tmp_path / "weights.npz"
        np.savez(path, **{name: array for name, array in {**WEIGHTS, **changed}.items() if array is not None})
        return path

    return write


def test_weights_fill_the_layers_in_order_and_biases_the_norms_behind(npz) -> None:
    model = load_folded(_model(), npz())
    assert not model.training
    with torch.no_grad():
        # (1 + 1) * 0.5 + (1, 2, 3, 4), doubled, + 10, summed, + 0.25
        assert model(torch.ones(1, 2, 1, 1)).item() == pytest.approx(2 * (4 + 10) + 40 + 0.25)


def test_a_layer_of_another_shape_is_an_error(npz) -> None:
    with pytest.raises(RuntimeError, match=r"official weights of shape \(1, 4\) where ours are \(2, 4\)"):
        load_folded(_model(classes=2), npz())


def test_a_missing_layer_is_an_error(npz) -> None:
    with pytest.raises(KeyError, match="01_dwconv.weight"):
        load_folded(_model(), npz(**{"01_dwconv.weight": None}))


def test_a_layer_left_over_is_an_error(npz) -> None:
    with pytest.raises(RuntimeError, match="the model has no layer for 03_linear.weight"):
        load_folded(_model(), npz(**{"03_linear.weight": np.ones((1, 1), np.float32)}))
