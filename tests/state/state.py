"""A model of sequences with both kinds of state: a ring of what it has heard, not zero at first, and a cell that is an output as well."""

from collections.abc import Iterator

import torch
from torch import nn


class Listener(nn.Module):
    """float32 [1, 6, 1, 1], one after another -> float32 [1, 8] what it remembers, [1, 3] what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("heard", torch.linspace(-1, 1, 30).reshape(1, 6, 5, 1))
        self.register_buffer("memory", torch.zeros(1, 8))
        self.filter = nn.Conv2d(6, 8, (5, 1))
        self.forget = nn.Linear(16, 8)
        self.say = nn.Linear(8, 3)

    def forward(self, sound: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.heard[:, :, :-1] = self.heard[:, :, 1:].clone()
        self.heard[:, :, -1:] = sound
        filtered = torch.relu(self.filter(self.heard)).flatten(1)
        forget = torch.sigmoid(self.forget(torch.cat([self.memory, filtered], 1)))
        self.memory = self.memory * forget + filtered
        return self.memory, self.say(self.memory)


def build_model() -> Listener:
    torch.manual_seed(6)
    return Listener()


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(1, 6, 1, 1),)


def calibration() -> Iterator[torch.Tensor | None]:
    """Four sequences of eight."""
    generator = torch.Generator().manual_seed(7)
    for _ in range(4):
        yield None
        for _ in range(8):
            yield torch.randn(1, 6, 1, 1, generator=generator)
