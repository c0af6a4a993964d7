"""Small versions of networks for phones: inverted residuals, cheap features, shuffled channels.

float32 [1, 3, 32, 32] -> [1, classes].
"""

import torch
import torch.nn.functional as F
from torch import nn

CLASSES = 8


def conv_bn(
    inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1, act: type[nn.Module] | None = nn.ReLU6
) -> nn.Sequential:
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


def head(channels: int) -> nn.Sequential:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(channels, CLASSES))


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, gate: type[nn.Module] = nn.Hardsigmoid):
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, channels // 4, 1),
            nn.ReLU(),
            nn.Conv2d(channels // 4, channels, 1),
            gate(),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gate(x)


class InvertedResidual(nn.Module):
    """Wider, depthwise, narrower again, added to the input where the shapes allow."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        expand: int,
        stride: int = 1,
        kernel: int = 3,
        act: type[nn.Module] = nn.ReLU6,
        se: bool = False,
    ):
        super().__init__()
        wide = inputs * expand
        self.layers = nn.Sequential(
            *([conv_bn(inputs, wide, act=act)] if expand > 1 else []),
            conv_bn(wide, wide, kernel, stride, groups=wide, act=act),
            *([SqueezeExcite(wide)] if se else []),
            conv_bn(wide, outputs, act=None),
        )
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layers(x)
        return x + y if self.residual else y


def mobilenet_v1() -> nn.Module:
    """Howard et al., 2017."""
    layers, inputs = [conv_bn(3, 8, 3, 2, act=nn.ReLU)], 8
    for outputs, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1)]:
        layers += [conv_bn(inputs, inputs, 3, stride, groups=inputs, act=nn.ReLU), conv_bn(inputs, outputs, act=nn.ReLU)]
        inputs = outputs
    return nn.Sequential(*layers, head(inputs))


def mobilenet_v2() -> nn.Module:
    """Sandler et al., 2018."""
    blocks = [(8, 8, 1, 1), (8, 12, 6, 2), (12, 12, 6, 1), (12, 16, 6, 2), (16, 16, 6, 1), (16, 16, 6, 1)]
    return nn.Sequential(conv_bn(3, 8, 3, 2), *(InvertedResidual(*block) for block in blocks), conv_bn(16, 64), head(64))


def mobilenet_v3_small() -> nn.Module:
    """Howard et al., 2019: hardswish, squeeze and excitation gated by hardsigmoid, kernels of 5."""
    hs = nn.Hardswish
    return nn.Sequential(
        conv_bn(3, 8, 3, 2, act=hs),
        InvertedResidual(8, 8, 1, 2, act=nn.ReLU, se=True),
        InvertedResidual(8, 12, 4, 2, act=nn.ReLU),
        InvertedResidual(12, 12, 4, 1, act=nn.ReLU),
        InvertedResidual(12, 16, 4, 1, 5, act=hs, se=True),
        InvertedResidual(16, 16, 4, 1, 5, act=hs, se=True),
        conv_bn(16, 48, act=hs),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(48, 32),
        hs(),
        nn.Dropout(),
        nn.Linear(32, CLASSES),
    )


def efficientnet_lite0() -> nn.Module:
    """Liu, 2020: EfficientNet (Tan and Le, 2019) without squeeze and excitation, with ReLU6."""
    blocks = [
        (8, 8, 1, 1, 3),
        (8, 12, 6, 2, 3),
        (12, 12, 6, 1, 3),
        (12, 16, 6, 2, 5),
        (16, 16, 6, 1, 5),
        (16, 24, 6, 2, 3),
        (24, 24, 6, 1, 3),
    ]
    return nn.Sequential(conv_bn(3, 8, 3, 2), *(InvertedResidual(*block) for block in blocks), conv_bn(24, 64), head(64))


def efficientnet_b() -> nn.Module:
    """Tan and Le, 2019: swish, squeeze and excitation gated by sigmoid."""

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int, expand: int, stride: int):
            super().__init__()
            wide = inputs * expand
            self.expand = conv_bn(inputs, wide, act=nn.SiLU)
            self.depthwise = conv_bn(wide, wide, 3, stride, groups=wide, act=nn.SiLU)
            self.se = SqueezeExcite(wide, nn.Sigmoid)
            self.project = conv_bn(wide, outputs, act=None)
            self.residual = stride == 1 and inputs == outputs

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.project(self.se(self.depthwise(self.expand(x))))
            return x + y if self.residual else y

    return nn.Sequential(
        conv_bn(3, 8, 3, 2, act=nn.SiLU),
        Block(8, 12, 4, 2),
        Block(12, 12, 4, 1),
        Block(12, 16, 4, 2),
        conv_bn(16, 48, act=nn.SiLU),
        head(48),
    )


def mcunet() -> nn.Module:
    """Lin et al., 2020, the kind that their search finds: inverted residuals of mixed kernels (3, 5, 7) and expansions."""
    blocks = [(8, 8, 1, 1, 3), (8, 12, 3, 2, 7), (12, 12, 5, 1, 3), (12, 16, 4, 2, 5), (16, 16, 3, 1, 7), (16, 24, 6, 2, 3)]
    return nn.Sequential(conv_bn(3, 8, 3, 2), *(InvertedResidual(*block) for block in blocks), head(24))


class Shuffle(nn.Module):
    """ShuffleNetV2's unit: half of the channels pass by; with a stride both halves are convolved."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.stride, half = stride, outputs // 2
        entering = inputs if stride > 1 else inputs // 2
        self.left = (
            nn.Sequential(conv_bn(inputs, inputs, 3, 2, inputs, act=None), conv_bn(inputs, half, act=nn.ReLU))
            if stride > 1
            else None
        )
        self.right = nn.Sequential(
            conv_bn(entering, half, act=nn.ReLU), conv_bn(half, half, 3, stride, half, act=None), conv_bn(half, half, act=nn.ReLU)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.left is None:
            kept, changed = x.chunk(2, dim=1)
            y = torch.cat((kept, self.right(changed)), 1)
        else:
            y = torch.cat((self.left(x), self.right(x)), 1)
        n, c, h, w = y.shape
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def shufflenet_v2() -> nn.Module:
    """Ma et al., 2018."""
    stages = [Shuffle(8, 16, 2), Shuffle(16, 16, 1), Shuffle(16, 32, 2), Shuffle(32, 32, 1)]
    return nn.Sequential(conv_bn(3, 8, 3, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1), *stages, conv_bn(32, 48, act=nn.ReLU), head(48))


class Ghost(nn.Module):
    """GhostNet's module: half of the features by a pointwise convolution, the other half by a cheap depthwise one of those."""

    def __init__(self, inputs: int, outputs: int, act: type[nn.Module] | None = nn.ReLU):
        super().__init__()
        self.primary = conv_bn(inputs, outputs // 2, act=act)
        self.cheap = conv_bn(outputs // 2, outputs // 2, 3, groups=outputs // 2, act=act)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.primary(x)
        return torch.cat([y, self.cheap(y)], dim=1)


class GhostBottleneck(nn.Module):
    def __init__(self, inputs: int, wide: int, outputs: int, stride: int, se: bool):
        super().__init__()
        self.main = nn.Sequential(
            Ghost(inputs, wide),
            *([conv_bn(wide, wide, 3, stride, wide, act=None)] if stride > 1 else []),
            *([SqueezeExcite(wide)] if se else []),
            Ghost(wide, outputs, act=None),
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = (
            nn.Sequential()
            if same
            else nn.Sequential(conv_bn(inputs, inputs, 3, stride, inputs, act=None), conv_bn(inputs, outputs, act=None))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.main(x) + self.shortcut(x)


def ghostnet() -> nn.Module:
    """Han et al., 2020."""
    blocks = [GhostBottleneck(8, 16, 8, 1, False), GhostBottleneck(8, 24, 12, 2, True), GhostBottleneck(12, 32, 16, 2, True)]
    return nn.Sequential(conv_bn(3, 8, 3, 2, act=nn.ReLU), *blocks, conv_bn(16, 48, act=nn.ReLU), head(48))


def mobileone() -> nn.Module:
    """Vasu et al., 2022: branches that add up in front of one activation, a norm of the input among them."""

    class Block(nn.Module):
        def __init__(self, channels: int, groups: int):
            super().__init__()
            self.wide, self.point = (
                conv_bn(channels, channels, 3, groups=groups, act=None),
                conv_bn(channels, channels, groups=groups, act=None),
            )
            self.skip = nn.BatchNorm2d(channels)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.relu(self.wide(x) + self.point(x) + self.skip(x))

    return nn.Sequential(
        conv_bn(3, 12, 3, 2, act=nn.ReLU), Block(12, 12), Block(12, 1), nn.MaxPool2d(2), conv_bn(12, 24, act=nn.ReLU), head(24)
    )
