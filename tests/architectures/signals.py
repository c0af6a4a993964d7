"""Small networks for sequences, tables and pairs: time convolutions, mixers, two inputs."""

import torch
import torch.nn.functional as F
from torch import nn

CLASSES = 8


class CausalBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, dilation: int):
        super().__init__()
        self.past = 2 * dilation
        self.a, self.b = nn.Conv1d(inputs, outputs, 3, dilation=dilation), nn.Conv1d(outputs, outputs, 3, dilation=dilation)
        self.shortcut = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.a(F.pad(x, (self.past, 0))))
        y = F.relu(self.b(F.pad(y, (self.past, 0))))
        return F.relu(y + self.shortcut(x))


def tcn() -> nn.Module:
    """Bai et al., 2018: float32 [1, 6, 48] -> [1, 4, 48], dilated causal convolutions."""
    return nn.Sequential(CausalBlock(6, 12, 1), CausalBlock(12, 12, 2), CausalBlock(12, 12, 4), nn.Conv1d(12, 4, 1))


def ecg_cnn() -> nn.Module:
    """A beat classifier of the kind that Kachuee et al. describe, 2018: float32 [1, 1, 187] -> [1, classes] probabilities."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Conv1d(12, 12, 5, padding=2), nn.Conv1d(12, 12, 5, padding=2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.max_pool1d(F.relu(x + self.b(F.relu(self.a(x)))), 5, 2)

    return nn.Sequential(
        nn.Conv1d(1, 12, 5),
        Block(),
        Block(),
        Block(),
        nn.Flatten(),
        nn.Linear(12 * 20, 16),
        nn.ReLU(),
        nn.Linear(16, CLASSES),
        nn.Softmax(dim=1),
    )


def matchboxnet() -> nn.Module:
    """Majumdar and Ginsburg, 2020, for keywords: separable convolutions over time. float32 [1, 16, 50] -> [1, classes]."""

    class Block(nn.Module):
        def __init__(self, channels: int, kernel: int):
            super().__init__()
            self.depthwise = nn.Conv1d(channels, channels, kernel, padding="same", groups=channels, bias=False)
            self.pointwise, self.norm = nn.Conv1d(channels, channels, 1, bias=False), nn.BatchNorm1d(channels)
            self.shortcut = nn.Sequential(nn.Conv1d(channels, channels, 1, bias=False), nn.BatchNorm1d(channels))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.relu(self.norm(self.pointwise(self.depthwise(x))) + self.shortcut(x))

    return nn.Sequential(
        nn.Conv1d(16, 16, 11, 2, 5, bias=False),
        nn.BatchNorm1d(16),
        nn.ReLU(),
        Block(16, 13),
        Block(16, 15),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(16, CLASSES),
    )


class BcResBlock(nn.Module):
    """Frequency by 2-D convolution; time by 1-D on the mean over frequencies, which is broadcast back."""

    def __init__(self, channels: int):
        super().__init__()
        self.frequency = nn.Sequential(
            nn.Conv2d(channels, channels, (3, 1), padding=(1, 0), groups=channels, bias=False), nn.BatchNorm2d(channels)
        )
        self.time = nn.Sequential(
            nn.Conv2d(channels, channels, (1, 3), padding=(0, 1), groups=channels, bias=False),
            nn.BatchNorm2d(channels),
            nn.SiLU(),
            nn.Conv2d(channels, channels, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.frequency(x)
        return F.relu(x + y + self.time(y.mean(2, keepdim=True)))


def bc_resnet() -> nn.Module:
    """Kim et al., 2021, for keywords. float32 [1, 1, 20, 32] -> [1, classes]."""
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, (2, 1), 2),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        BcResBlock(12),
        BcResBlock(12),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(12, CLASSES),
    )


class MixerBlock(nn.Module):
    def __init__(self, patches: int, channels: int):
        super().__init__()
        self.norm1, self.norm2 = nn.BatchNorm1d(patches), nn.BatchNorm1d(patches)
        self.tokens = nn.Sequential(nn.Linear(patches, 24), nn.GELU(), nn.Linear(24, patches))
        self.features = nn.Sequential(nn.Linear(channels, 48), nn.GELU(), nn.Linear(48, channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.features(self.norm2(x))


class MlpMixer(nn.Module):
    """Tolstikhin et al., 2021, with batch norm: float32 [1, 3, 32, 32] -> [1, classes], in 16 patches of 8x8."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 24, 8, 8)
        self.blocks = nn.Sequential(MixerBlock(16, 24), MixerBlock(16, 24))
        self.head = nn.Linear(24, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.patches(x).flatten(2).transpose(1, 2)).mean(1))


def mlp_mixer() -> nn.Module:
    return MlpMixer()


class AttentionNet(nn.Module):
    """Vaswani et al., 2017: one head of attention over 16 steps, without norms. float32 [1, 16, 12] -> [1, classes]."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(12, 12) for _ in range(3))
        self.feed, self.head = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 12)), nn.Linear(12, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = torch.softmax(self.query(x) @ self.key(x).transpose(-1, -2) / 12**0.5, dim=-1)
        x = x + weights @ self.value(x)
        return self.head((x + self.feed(x)).mean(1))


def attention() -> nn.Module:
    return AttentionNet()


class Siamese(nn.Module):
    """Bromley et al., 1993: float32 [1, 1, 24, 24] twice -> [1, 1], how alike the two are."""

    def __init__(self) -> None:
        super().__init__()
        self.twin = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(8, 12, 3, 2, 1),
            nn.ReLU(),
            nn.AvgPool2d(6),
            nn.Flatten(),
            nn.Linear(12, 16),
        )
        self.compare = nn.Linear(16, 1)

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.compare(torch.abs(self.twin(left) - self.twin(right))))


def siamese() -> nn.Module:
    return Siamese()


class SensorFusion(nn.Module):
    """float32 [1, 6, 32] of motion and [1, 4] of surroundings -> [1, classes] and [1, 1]: activity, and effort."""

    def __init__(self) -> None:
        super().__init__()
        self.motion = nn.Sequential(
            nn.Conv1d(6, 12, 5, 2), nn.ReLU(), nn.Conv1d(12, 16, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten()
        )
        self.surroundings = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.activity, self.effort = nn.Linear(24, CLASSES), nn.Linear(24, 1)

    def forward(self, motion: torch.Tensor, surroundings: torch.Tensor) -> dict[str, torch.Tensor]:
        x = torch.cat([self.motion(motion), self.surroundings(surroundings)], 1)
        return {"activity": self.activity(x), "effort": F.softplus(self.effort(x))}


def sensor_fusion() -> nn.Module:
    return SensorFusion()


def deep_and_cross() -> nn.Module:
    """Wang et al., 2017, for tables: float32 [1, 20] -> [1, 1], crossed features beside deep ones."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cross = nn.ModuleList(nn.Linear(20, 20) for _ in range(2))
            self.deep = nn.Sequential(nn.Linear(20, 24), nn.ELU(), nn.Linear(24, 12), nn.ELU())
            self.head = nn.Linear(32, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            crossed = x
            for layer in self.cross:
                crossed = x * layer(crossed) + crossed
            return torch.sigmoid(self.head(torch.cat([crossed, self.deep(x)], -1)))

    return Model()
