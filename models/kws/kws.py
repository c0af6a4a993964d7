"""Keyword spotting: MLPerf Tiny's DS-CNN, as a user of Kindling would write it.

Hears one second of speech as 49 frames of 10 MFCCs (features.py) and scores twelve classes (labels.py).
Architecture: Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", 2017, in the size MLPerf Tiny uses.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FRAMES = 49
COEFFICIENTS = 10
CHANNELS = 64
CLASSES = 12

WEIGHTS = Path(__file__).with_name("weights.npz")
CALIBRATION = Path(__file__).with_name("calibration.npz")


def conv_bn_relu(in_channels: int, kernel_size: int | tuple[int, int], **conv: int) -> nn.Sequential:
    """A convolution to 64 channels, normalised and rectified."""
    return nn.Sequential(
        nn.Conv2d(in_channels, CHANNELS, kernel_size, bias=False, **conv),
        nn.BatchNorm2d(CHANNELS),
        nn.ReLU(),
    )


class DsCnn(nn.Module):
    """Depthwise separable CNN: float32 [N, 1, 49, 10] MFCCs -> float32 [N, 12] probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn_relu(1, (10, 4), stride=2)
        self.blocks = nn.Sequential()
        for _ in range(4):
            self.blocks.append(conv_bn_relu(CHANNELS, 3, padding=1, groups=CHANNELS))
            self.blocks.append(conv_bn_relu(CHANNELS, 1))
        self.stem_dropout = nn.Dropout(0.2)
        self.dropout = nn.Dropout(0.4)
        self.pool = nn.AvgPool2d((25, 5))
        self.classifier = nn.Linear(CHANNELS, CLASSES)

    def logits(self, mfcc: torch.Tensor) -> torch.Tensor:
        """float32 [N, 12] scores before the softmax; what training wants."""
        # TensorFlow's SAME padding: 9 rows and 2 columns, the odd row at the bottom.
        x = F.pad(mfcc, (1, 1, 4, 5))
        x = self.stem_dropout(self.stem(x))
        x = self.dropout(self.blocks(x))
        return self.classifier(self.pool(x).flatten(1))

    def forward(self, mfcc: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.logits(mfcc), dim=-1)


def build_model() -> DsCnn:
    """The trained model, ready for inference. Raises FileNotFoundError if the weights are not beside this file."""
    model = DsCnn()
    with _open_npz(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    return model.eval()


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one window, [1, 1, 49, 10]."""
    return (torch.zeros(1, 1, FRAMES, COEFFICIENTS),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    """Inputs typical of use: windows of the training voices, from which the compiler learns the ranges of activations."""
    with _open_npz(CALIBRATION) as arrays:
        windows = arrays["mfcc"].astype(np.float32)
    for window in windows:
        yield (torch.from_numpy(window).reshape(1, 1, FRAMES, COEFFICIENTS),)


def _open_npz(path: Path) -> np.lib.npyio.NpzFile:
    if not path.exists():
        raise FileNotFoundError(f"{path.name} is missing beside {Path(__file__).name}; train.py makes it")
    return np.load(path)
