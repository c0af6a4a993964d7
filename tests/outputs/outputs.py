"""A model whose outputs are all that is no image of its own: its input, a constant, and numbers without axes."""

import torch
from torch import nn

SHAPE = (1, 3, 10, 9)


class Outputs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.register_buffer("table", torch.linspace(-1, 2, 5))

    def forward(self, image: torch.Tensor) -> dict[str, torch.Tensor]:
        features = self.stem(image)
        numbers = {"mean": features.mean(), "most": features.max()}
        return {"image": image, "features": features, "table": self.table, "flat": image.flatten(), **numbers}


def build_model() -> nn.Module:
    torch.manual_seed(3)
    return Outputs()


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(SHAPE),)


def calibration():
    for seed in range(8):
        yield (torch.randn(SHAPE, generator=torch.Generator().manual_seed(seed)),)
