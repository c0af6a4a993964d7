"""Visual wake words: is there a person in the picture? MLPerf Tiny's MobileNetV1 of width 0.25.

Architecture: Howard et al., "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications", 2017;
task: Chowdhery et al., "Visual Wake Words Dataset", 2019.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIZE = 96
LABELS = ("no person", "person")

# Output channels and stride of the depthwise separable blocks.
BLOCKS = ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1))

WEIGHTS = Path(__file__).with_name("weights.npz")
CALIBRATION = Path(__file__).with_name("calibration.npz")


class ConvBnRelu(nn.Module):
    """A convolution with TensorFlow's SAME padding, normalised and rectified."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        # With stride 2 and an even size the one row and column of padding are at the bottom and right.
        before = 0 if stride == 2 else kernel_size // 2
        self.padding = (before, kernel_size // 2, before, kernel_size // 2)
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.conv(F.pad(x, self.padding))))


class MobileNetV1(nn.Module):
    """float32 [N, 3, 96, 96], red, green and blue in 0..1 -> float32 [N, 2] probabilities of LABELS."""

    def __init__(self) -> None:
        super().__init__()
        channels = 8
        self.stem = ConvBnRelu(3, channels, 3, stride=2)
        self.blocks = nn.Sequential()
        for out_channels, stride in BLOCKS:
            self.blocks.append(ConvBnRelu(channels, channels, 3, stride, groups=channels))
            self.blocks.append(ConvBnRelu(channels, out_channels, 1))
            channels = out_channels
        self.pool = nn.AvgPool2d(3)
        self.classifier = nn.Linear(channels, len(LABELS))

    def logits(self, image: torch.Tensor) -> torch.Tensor:
        """float32 [N, 2] scores before the softmax; what training wants."""
        x = self.blocks(self.stem(image))
        return self.classifier(self.pool(x).flatten(1))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.logits(image), dim=-1)


def build_model() -> MobileNetV1:
    """The model with the weights beside this file, ready for inference."""
    model = MobileNetV1()
    with np.load(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    return model.eval()


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one image, [1, 3, 96, 96]."""
    return (torch.zeros(1, 3, SIZE, SIZE),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    """Images typical of use, from which the compiler learns the ranges of activations."""
    with np.load(CALIBRATION) as arrays:
        images = arrays["image"]  # uint8 [n, 96, 96, 3]
    for image in images:
        yield (torch.from_numpy(image).permute(2, 0, 1).unsqueeze(0) / 255,)
