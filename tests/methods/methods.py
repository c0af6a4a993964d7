"""A model of two methods that share their first layers: an embedding of an image, and its class."""

from collections.abc import Iterator

import torch
from torch import nn


def build_model() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    torch.manual_seed(3)
    embed = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )
    classify = nn.Sequential(embed, nn.Linear(16, 5), nn.Softmax(-1))
    image = torch.zeros(1, 3, 10, 9)
    return {"embed": (embed.eval(), image), "classify": (classify.eval(), image)}


def calibration() -> dict[str, Iterator[torch.Tensor]]:
    def images() -> Iterator[torch.Tensor]:
        generator = torch.Generator().manual_seed(4)
        return (torch.randn(1, 3, 10, 9, generator=generator) for _ in range(16))

    return {"embed": images(), "classify": images()}
