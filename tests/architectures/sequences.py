"""Small networks with attention, norms or state over sequences, as their users write them."""

import torch
import torch.nn.functional as F
from torch import nn

CLASSES = 8


class ConvolutionModule(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm, self.expand = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.depthwise, self.settled = nn.Conv1d(width, width, 7, padding="same", groups=width), nn.BatchNorm1d(width)
        self.project = nn.Conv1d(width, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.glu(self.expand(self.norm(x).transpose(1, 2)), dim=1)
        return self.project(F.silu(self.settled(self.depthwise(y)))).transpose(1, 2)


class Conformer(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.embed = nn.Linear(12, width)
        self.feed1, self.feed2 = (
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, width)) for _ in range(2)
        )
        self.norm, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, 2, batch_first=True)
        self.convolution = ConvolutionModule(width)
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        x = x + 0.5 * self.feed1(x)
        y = self.norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        x = x + self.convolution(x)
        return self.head(self.last(x + 0.5 * self.feed2(x)).mean(dim=1))


def conformer() -> nn.Module:
    """Gulati et al., 2020, one block: float32 [1, 20, 12] -> [1, classes]."""
    return Conformer()


class KeywordTransformer(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.embed, self.token = nn.Linear(10, width), nn.Parameter(torch.randn(1, 1, width) * 0.1)
        self.place = nn.Parameter(torch.randn(1, 17, width) * 0.1)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 2, 32, batch_first=True, activation="gelu"), 1)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), self.embed(x)), dim=1) + self.place
        return self.head(self.encoder(x)[:, 0])


def keyword_transformer() -> nn.Module:
    """Berg et al., 2021: float32 [1, 16, 10] -> [1, classes]."""
    return KeywordTransformer()


class Crnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.images = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU())
        self.steps, self.head = nn.GRU(8 * 10, 16, batch_first=True), nn.Linear(16, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.images(x)
        batch, channels, bands, steps = x.shape
        x, _ = self.steps(x.permute(0, 3, 1, 2).reshape(batch, steps, channels * bands))
        return self.head(x.mean(1)).log_softmax(-1)


def crnn() -> nn.Module:
    """Choi et al., 2017, for sounds: float32 [1, 1, 20, 12] -> [1, classes]."""
    return Crnn()


class StatisticsPooling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.frames = nn.Conv1d(10, 16, 5, padding=2)
        self.attention = nn.Sequential(nn.Conv1d(16, 8, 1), nn.Tanh(), nn.Conv1d(8, 16, 1), nn.Softmax(dim=2))
        self.embed = nn.Linear(32, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.frames(x))
        weights = self.attention(x)
        mean = (x * weights).sum(2)
        deviation = ((x**2 * weights).sum(2) - mean**2).clamp(min=1e-4).sqrt()
        return F.normalize(self.embed(torch.cat([mean, deviation], 1)), dim=1)


def speaker_embedding() -> nn.Module:
    """Attentive statistics pooling, Okabe et al., 2018: float32 [1, 10, 32] -> [1, 8] of length 1."""
    return StatisticsPooling()
