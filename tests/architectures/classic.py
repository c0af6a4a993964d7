"""Small versions of networks for images, of earlier days: stacks, residuals, dense connections.

float32 [1, 3, 32, 32] -> [1, classes].
"""

import torch
import torch.nn.functional as F
from torch import nn

CLASSES = 8


def conv_relu(inputs: int, outputs: int, kernel: int = 3, **conv: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, **conv), nn.ReLU(inplace=True))


def conv_bn(inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs))


def lenet() -> nn.Module:
    """LeCun et al., 1998."""
    return nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(400, 40), nn.Tanh(), nn.Linear(40, CLASSES),
    )  # fmt: skip


def vgg() -> nn.Module:
    """Simonyan and Zisserman, 2014."""
    layers, inputs = [], 3
    for outputs, depth in [(8, 2), (16, 2), (24, 2)]:
        for _ in range(depth):
            layers.append(conv_relu(inputs, outputs))
            inputs = outputs
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(24 * 16, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, CLASSES), nn.Softmax(-1)
    )


class Fire(nn.Module):
    def __init__(self, inputs: int, squeezed: int, expanded: int):
        super().__init__()
        self.squeeze = conv_relu(inputs, squeezed, 1)
        self.narrow, self.wide = conv_relu(squeezed, expanded, 1), conv_relu(squeezed, expanded, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.squeeze(x)
        return torch.cat([self.narrow(x), self.wide(x)], 1)


def squeezenet() -> nn.Module:
    """Iandola et al., 2016: pools that round up, a classifier by convolution."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(16, 4, 12), Fire(24, 4, 12),
        nn.MaxPool2d(3, 2, ceil_mode=True), Fire(24, 6, 16), nn.Dropout(), nn.Conv2d(32, CLASSES, 1), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(1),
    )  # fmt: skip


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1, se: bool = False):
        super().__init__()
        self.a, self.b = conv_bn(inputs, outputs, 3, stride), conv_bn(outputs, outputs)
        self.shortcut = conv_bn(inputs, outputs, 1, stride) if stride > 1 or inputs != outputs else nn.Identity()
        self.se = (
            nn.Sequential(nn.Linear(outputs, outputs // 4), nn.ReLU(), nn.Linear(outputs // 4, outputs), nn.Sigmoid())
            if se
            else None
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.b(F.relu(self.a(x)))
        if self.se is not None:
            y = y * self.se(y.mean((2, 3)))[:, :, None, None]
        return F.relu(y + self.shortcut(x))


def resnet() -> nn.Module:
    """He et al., 2015."""
    blocks = [Residual(8, 8), Residual(8, 16, 2), Residual(16, 16), Residual(16, 32, 2)]
    return nn.Sequential(conv_bn(3, 8), nn.ReLU(), *blocks, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(32, CLASSES))


def se_resnet() -> nn.Module:
    """Hu et al., 2017: squeeze and excitation by linear layers."""
    blocks = [Residual(8, 8, se=True), Residual(8, 16, 2, se=True), Residual(16, 16, se=True)]
    return nn.Sequential(conv_bn(3, 8), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, CLASSES))


class DenseLayer(nn.Module):
    """Norm and activation stand before the convolution, so no convolution can take in the norm."""

    def __init__(self, inputs: int, growth: int):
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, growth, 3, padding=1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, self.conv(F.relu(self.norm(x)))], 1)


def densenet() -> nn.Module:
    """Huang et al., 2016."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False), DenseLayer(8, 6), DenseLayer(14, 6), nn.BatchNorm2d(20), nn.ReLU(),
        nn.Conv2d(20, 12, 1, bias=False),
        nn.AvgPool2d(2), DenseLayer(12, 6), DenseLayer(18, 6), nn.BatchNorm2d(24), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, CLASSES),
    )  # fmt: skip


class InceptionBlock(nn.Module):
    def __init__(self, inputs: int):
        super().__init__()
        self.one = conv_relu(inputs, 8, 1)
        self.three = nn.Sequential(conv_relu(inputs, 6, 1), conv_relu(6, 8, 3))
        self.five = nn.Sequential(conv_relu(inputs, 4, 1), conv_relu(4, 6, 5))
        self.pool = nn.Sequential(nn.MaxPool2d(3, 1, 1), conv_relu(inputs, 6, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.one(x), self.three(x), self.five(x), self.pool(x)], 1)


def inception() -> nn.Module:
    """Szegedy et al., 2014."""
    return nn.Sequential(
        conv_relu(3, 12, 3, stride=2),
        InceptionBlock(12),
        nn.MaxPool2d(2),
        InceptionBlock(28),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(28, CLASSES),
    )


def resnext() -> nn.Module:
    """Xie et al., 2016: grouped convolutions."""

    class Block(nn.Module):
        def __init__(self, channels: int):
            super().__init__()
            self.a, self.c = conv_bn(channels, 16, 1), conv_bn(16, channels, 1)
            self.b = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, groups=4, bias=False), nn.BatchNorm2d(16))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.relu(x + self.c(F.relu(self.b(F.relu(self.a(x))))))

    return nn.Sequential(
        conv_bn(3, 24, 3, 2), nn.ReLU(), Block(24), Block(24), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, CLASSES)
    )


def convnext() -> nn.Module:
    """Liu et al., 2022, with batch norm: patches, depthwise kernels of 7, GELU, a scale per channel."""

    class Block(nn.Module):
        def __init__(self, channels: int):
            super().__init__()
            self.depthwise, self.norm = nn.Conv2d(channels, channels, 7, padding=3, groups=channels), nn.BatchNorm2d(channels)
            self.up, self.down = nn.Conv2d(channels, 4 * channels, 1), nn.Conv2d(4 * channels, channels, 1)
            self.gamma = nn.Parameter(torch.full((channels, 1, 1), 0.5))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.gamma * self.down(F.gelu(self.up(self.norm(self.depthwise(x)))))

    return nn.Sequential(
        nn.Conv2d(3, 12, 4, 4),
        nn.BatchNorm2d(12),
        Block(12),
        Block(12),
        nn.Conv2d(12, 24, 2, 2),
        Block(24),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(24, CLASSES),
    )
