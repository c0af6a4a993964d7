"""A model with every kind of operator that has a float kernel."""

import torch
import torch.nn.functional as F
from torch import nn

SHAPE = (1, 3, 10, 9)


class Mixture(nn.Module):
    """Convolutions, pools, branches that broadcast, functions, moves of data, attention, reductions and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(12)
        self.depthwise = nn.Conv2d(12, 24, 3, padding=2, dilation=2, groups=12)
        self.grouped = nn.Conv2d(24, 12, 1, groups=3)
        self.squeeze = nn.Linear(12, 4)
        self.excite = nn.Linear(4, 12)
        self.level = nn.Parameter(torch.rand(12, 1, 1) - 0.5)
        self.head = nn.Linear(24, 7)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = F.relu(self.norm(self.stem(F.pad(x, (0, 1, 0, 0), value=0.5))))
        y = F.hardswish(self.grouped(F.relu6(self.depthwise(x))))
        gate = torch.sigmoid(self.excite(F.silu(self.squeeze(y.mean((2, 3))))))
        y = x - y * gate[:, :, None, None] / (torch.exp(self.level * x) + 0.5)
        y = torch.cat([F.max_pool2d(y, 2), F.avg_pool2d(torch.minimum(F.gelu(y), torch.tanh(y)), 2)], 1)
        y = torch.log1p(y.flip(3).square()).sqrt() + F.elu(y)
        y = y.amax(2)
        scores = self.head((y @ torch.softmax(y.transpose(1, 2) @ y, -1)).sum(2))
        return torch.softmax(scores, -1), F.log_softmax(scores, -1), scores.argmax(1), scores.argmin(1)


def build_model() -> nn.Module:
    torch.manual_seed(3)
    model = Mixture()
    nn.init.uniform_(model.norm.running_mean, -0.5, 0.5)
    nn.init.uniform_(model.norm.running_var, 0.5, 2.0)
    return model


def example_inputs() -> tuple[torch.Tensor]:
    return (torch.zeros(SHAPE),)
