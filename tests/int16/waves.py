"""A model of waves as an ADC samples them: of what kind they are, and how strong, beside a picture.

float32 waves [1, 1, 96], picture [1, 3, 5, 6] -> kind [1, 3] probabilities, strength [1, 2], picture [1, 3, 5, 6] brighter.
"""

import torch
from torch import nn


class Waves(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bank = nn.Conv1d(1, 8, 9, stride=4)
        self.kinds = nn.Linear(8, 3)
        self.strengths = nn.Linear(8, 2)

    def forward(self, waves: torch.Tensor, picture: torch.Tensor) -> dict[str, torch.Tensor]:
        features = torch.relu(self.bank(waves)).mean(dim=2)
        brighter = picture + 0.25 * picture.mean(dim=(1, 2, 3), keepdim=True)
        return {"kind": torch.softmax(self.kinds(features), 1), "strength": self.strengths(features), "brighter": brighter}


def build_model() -> nn.Module:
    torch.manual_seed(3)
    return Waves()


def example_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(1, 1, 96), torch.zeros(1, 3, 5, 6)


def calibration():
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        yield torch.rand((1, 1, 96), generator=generator) * 2 - 1, torch.randn((1, 3, 5, 6), generator=generator)
