"""Streaming wake word: is somebody calling "marvin"? MLPerf Tiny's depthwise separable network over time.

Hears the last second of sound as 30 frames of 40 log-mel energies (features.py). All convolutions run along time, so a new frame
needs one new column of each; run as here, on whole windows, the model gives the same answers.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn

FRAMES = 30
MELS = 40
LABELS = ("marvin", "silence", "unknown")

# Output channels and frames seen by each block; 30 frames become 28, 24, 15 and 1.
BLOCKS = ((128, 3), (128, 5), (128, 10), (32, 15))

WEIGHTS = Path(__file__).with_name("weights.npz")
CALIBRATION = Path(__file__).with_name("calibration.npz")


class WakeWord(nn.Module):
    """float32 [N, 40, 30, 1] log-mel energies in 0..1, time along the third axis -> float32 [N, 3] probabilities of LABELS."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential()
        channels = MELS
        for out_channels, frames in BLOCKS:
            self.blocks.append(
                nn.Sequential(
                    nn.Conv2d(channels, channels, (frames, 1), groups=channels, bias=False),
                    nn.Conv2d(channels, out_channels, 1, bias=False),
                    nn.BatchNorm2d(out_channels, eps=1e-3),
                    nn.ReLU(),
                    nn.Dropout(0.2),
                )
            )
            channels = out_channels
        self.classifier = nn.Linear(channels, len(LABELS))

    def logits(self, log_mel: torch.Tensor) -> torch.Tensor:
        """float32 [N, 3] scores before the softmax; what training wants."""
        return self.classifier(self.blocks(log_mel).flatten(1))

    def forward(self, log_mel: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.logits(log_mel), dim=-1)


def build_model() -> WakeWord:
    """The model with the weights beside this file, ready for inference."""
    model = WakeWord()
    with np.load(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    return model.eval()


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one window, [1, 40, 30, 1]."""
    return (torch.zeros(1, MELS, FRAMES, 1),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    """Windows typical of use, from which the compiler learns the ranges of activations."""
    with np.load(CALIBRATION) as arrays:
        windows = arrays["log_mel"]  # uint8 [n, 30, 40], 255 for 1
    for window in windows:
        yield (torch.from_numpy(window).T.reshape(1, MELS, FRAMES, 1) / 255,)
