"""Anomaly detection: MLPerf Tiny's deep autoencoder, which learns how a healthy machine sounds.

It repeats what it hears, five frames of 128 log-mel energies (features.py), through a bottleneck of 8 numbers. It has learnt that from
healthy sounds alone, so the worse it repeats a sound, the less healthy the machine: `anomaly_score`.
Architecture: the baseline of DCASE 2020 task 2, Koizumi et al., "Description and Discussion on DCASE2020 Challenge Task 2", 2020.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn

FEATURES = 640
HIDDEN = (128, 128, 128, 128, 8, 128, 128, 128, 128)

WEIGHTS = Path(__file__).with_name("weights.npz")
CALIBRATION = Path(__file__).with_name("calibration.npz")


class Autoencoder(nn.Module):
    """float32 [N, 640] log-mel energies in decibels -> float32 [N, 640], the same as well as the model can."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential()
        width = FEATURES
        for hidden in HIDDEN:
            self.layers.extend([nn.Linear(width, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU()])
            width = hidden
        self.layers.append(nn.Linear(width, FEATURES))

    def forward(self, log_mel: torch.Tensor) -> torch.Tensor:
        return self.layers(log_mel)


def anomaly_score(log_mel: np.ndarray, repeated: np.ndarray) -> np.ndarray:
    """Mean squared error of each window, float [n] in dB², of float [n, 640] twice."""
    return np.mean(np.square(log_mel - repeated), axis=-1)


def build_model() -> Autoencoder:
    """The model with the weights beside this file, ready for inference."""
    model = Autoencoder()
    with np.load(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    return model.eval()


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one window, [1, 640]."""
    return (torch.zeros(1, FEATURES),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    """Windows typical of use, from which the compiler learns the ranges of activations."""
    with np.load(CALIBRATION) as arrays:
        windows = arrays["log_mel"].astype(np.float32)  # float16 [n, 640]
    for window in windows:
        yield (torch.from_numpy(window).unsqueeze(0),)
