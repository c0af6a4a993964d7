"""A model whose parts split and meet: halves of an image that go ways of their own, a residual, and heads laid end to end."""

import torch
import torch.nn.functional as F
from torch import nn

SHAPE = (1, 3, 16, 12)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.upper = nn.Conv2d(8, 8, 3, padding=1)
        self.lower = nn.Conv2d(8, 8, 1)
        self.mix = nn.Conv2d(8, 8, 3, padding=1)
        self.small = nn.Linear(8, 5)
        self.large = nn.Linear(8, 9)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.stem(x))
        upper, lower = x.chunk(2, dim=2)
        y = torch.cat([F.relu(self.upper(upper)), F.relu(self.lower(lower))], dim=2)
        y = F.relu(self.mix(y) + x).mean((2, 3))
        return torch.cat([self.small(y), self.large(y)], dim=1)


def build_model() -> nn.Module:
    torch.manual_seed(5)
    return Branches()


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(SHAPE),)


def calibration():
    for seed in range(8):
        yield (torch.randn(SHAPE, generator=torch.Generator().manual_seed(seed)),)
