"""Image classification: MLPerf Tiny's ResNet-8, which has ten classes and pictures of CIFAR-10's size.

Architecture: He et al., "Deep Residual Learning for Image Recognition", 2015, with three stacks of one block.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIZE = 32
CLASSES = 10

WEIGHTS = Path(__file__).with_name("weights.npz")
CALIBRATION = Path(__file__).with_name("calibration.npz")


class Block(nn.Module):
    """Two 3x3 convolutions beside a short cut; halves height and width if stride is 2."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        # TensorFlow's SAME padding: with stride 2 the one row and column are at the bottom and right.
        self.padding = (0, 1, 0, 1) if stride == 2 else (1, 1, 1, 1)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.short_cut = nn.Identity() if stride == 1 else nn.Conv2d(in_channels, out_channels, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.norm1(self.conv1(F.pad(x, self.padding))))
        y = self.norm2(self.conv2(y))
        return F.relu(self.short_cut(x) + y)


class ResNet8(nn.Module):
    """float32 [N, 3, 32, 32], red, green and blue in 0..255 -> float32 [N, 10] probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2))
        self.pool = nn.AvgPool2d(8)
        self.classifier = nn.Linear(64, CLASSES)

    def logits(self, image: torch.Tensor) -> torch.Tensor:
        """float32 [N, 10] scores before the softmax; what training wants."""
        x = F.relu(self.norm(self.stem(image)))
        return self.classifier(self.pool(self.blocks(x)).flatten(1))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.logits(image), dim=-1)


def build_model() -> ResNet8:
    """The model with the weights beside this file, ready for inference."""
    model = ResNet8()
    with np.load(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    return model.eval()


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one image, [1, 3, 32, 32]."""
    return (torch.zeros(1, 3, SIZE, SIZE),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    """Images typical of use, from which the compiler learns the ranges of activations."""
    with np.load(CALIBRATION) as arrays:
        images = arrays["image"]  # uint8 [n, 32, 32, 3]
    for image in images:
        yield (torch.from_numpy(image).permute(2, 0, 1).unsqueeze(0).float(),)
