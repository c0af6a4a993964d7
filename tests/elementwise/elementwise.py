"""A model with every operator of kernels/elementwise and kernels/table, and constants as operands."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn

SHAPE = (1, 3, 10, 9)


class Gates(nn.Module):
    """Squeeze and excitation, a mask over pixels, a difference from a constant, a quotient, extremes."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Conv2d(3, 20, 3, padding=1)
        self.squeeze = nn.Linear(20, 6)
        self.excite = nn.Linear(6, 20)
        self.mask = nn.Conv2d(20, 1, 1)
        self.level = nn.Parameter(torch.rand(20, 1, 1) - 0.5)
        self.head = nn.Conv2d(20, 5, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.hardswish(self.features(x))
        scale = torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean((2, 3))))))
        y = y * scale[:, :, None, None] - self.level
        mask = self.mask(y)
        y = torch.maximum(y, mask) / (torch.exp(mask) + 0.5)
        return self.head(torch.minimum(y, F.gelu(y + y * mask)))


def build_model() -> nn.Module:
    torch.manual_seed(3)
    return Gates()


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(SHAPE),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    generator = torch.Generator().manual_seed(4)
    for _ in range(16):
        yield (torch.randn(SHAPE, generator=generator),)
