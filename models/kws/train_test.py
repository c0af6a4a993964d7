"""Training fits what can be told apart, and writes windows that can be read back."""

from pathlib import Path

import numpy as np
import torch

from models.kws import train
from models.kws.kws import DsCnn


def _separable_windows(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Classes 0..2 as a bump in another frame each, in noise."""
    random = torch.Generator().manual_seed(1)
    label = torch.arange(count) % 3
    mfcc = torch.randn(count, 1, 49, 10, generator=random)
    for index in range(3):
        mfcc[label == index, :, 8 + 14 * index : 14 + 14 * index] += 6.0
    return mfcc, label


def test_training_fits_what_can_be_told_apart() -> None:
    torch.manual_seed(1)
    mfcc, label = _separable_windows(384)
    model = DsCnn()
    train.train(model, mfcc, label, epochs=12)
    assert np.mean(train.predict(model, mfcc[:, 0].numpy()) == label.numpy()) > 0.95


def test_written_windows_are_the_first_of_each_label(tmp_path: Path) -> None:
    mfcc = np.arange(36, dtype=np.float32)[:, None, None] * np.ones((49, 10), np.float32)
    train.write_windows(tmp_path / "windows.npz", mfcc, np.arange(36) % 12, per_label=2)
    with np.load(tmp_path / "windows.npz") as windows:
        assert windows["mfcc"].dtype == np.float16
        assert windows["mfcc"][:, 0, 0].tolist() == [first + 12 * n for first in range(12) for n in range(2)]
        assert windows["label"].tolist() == [label for label in range(12) for _ in range(2)]
