"""Saved weights are the model's, and hardly other ones than it had."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from models.training import batches, fit, round_weights, rounded, save_weights


def test_batches_are_full_and_hold_every_index_at_most_once() -> None:
    seen = torch.cat(list(batches(10, 3)))
    assert len(seen) == 9 and len(set(seen.tolist())) == 9 and set(seen.tolist()) <= set(range(10))


def test_rounding_changes_no_value_by_more_than_one_part_in_4096() -> None:
    values = np.random.default_rng(1).standard_normal(1000).astype(np.float32) * 10.0 ** np.arange(-20, 20).repeat(25).astype(np.float32)
    assert rounded(values).dtype == np.float32
    np.testing.assert_allclose(rounded(values), values, rtol=2**-12)
    assert (rounded(values).view(np.uint32) & 0xFFF == 0).all()
    np.testing.assert_array_equal(rounded(rounded(values)), rounded(values))


def test_what_is_saved_is_what_the_rounded_model_computes_with(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    round_weights(model)
    save_weights(tmp_path / "weights.npz", model)
    with np.load(tmp_path / "weights.npz") as arrays:
        assert sorted(arrays.files) == sorted(model.state_dict())
        for name, tensor in model.state_dict().items():
            np.testing.assert_array_equal(arrays[name], tensor.numpy())


def test_fitting_finds_a_line_and_says_so_every_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(1)
    x = torch.linspace(-1, 1, 64)[:, None]
    model, seen = nn.Linear(1, 1), []

    def loss_of(indices: torch.Tensor, epoch: int) -> torch.Tensor:
        seen.append((epoch, len(indices)))
        return nn.functional.mse_loss(model(x[indices]), 3 * x[indices] + 1)

    fit(model, 64, loss_of, epochs=20, batch=10, peak_rate=0.3, weight_decay=0)
    assert abs(model.weight.item() - 3) < 0.1 and abs(model.bias.item() - 1) < 0.1
    assert seen == [(epoch, 10) for epoch in range(1, 21) for _ in range(6)]
    assert capsys.readouterr().out.count("epoch") == 20
