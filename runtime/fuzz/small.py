"""A model whose .pte is as small as one with many kinds of operators can be: one fuzzes quickly, and all of it."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn

SHAPE = (1, 2, 6, 5)


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.depthwise = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.pointwise = nn.Conv2d(4, 4, 1)
        self.head = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.conv(x))
        y = y + torch.sigmoid(self.pointwise(self.depthwise(y)))
        y = F.max_pool2d(y, 2, stride=1)
        return F.softmax(self.head(y.mean((2, 3))), dim=-1)


def build_model() -> nn.Module:
    torch.manual_seed(7)
    return Small()


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(SHAPE),)


def calibration() -> Iterator[tuple[torch.Tensor]]:
    generator = torch.Generator().manual_seed(8)
    for _ in range(8):
        yield (torch.randn(SHAPE, generator=generator),)
