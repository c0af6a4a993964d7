"""Small networks that give images or maps for images."""

import torch
import torch.nn.functional as F
from torch import nn


def conv_bn_relu(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    """Ronneberger et al., 2015. float32 [1, 1, 32, 32] -> [1, 2, 32, 32].

    `up` doubles height and width, from 24 to 16 channels and from 16 to 8.
    """

    def __init__(self, up: tuple[nn.Module, nn.Module]):
        super().__init__()
        self.down1, self.down2, self.bottom = conv_bn_relu(1, 8), conv_bn_relu(8, 16), conv_bn_relu(16, 24)
        self.up2, self.up1 = up
        self.join2, self.join1 = conv_bn_relu(32, 16), conv_bn_relu(16, 8)
        self.classify = nn.Conv2d(8, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        y = self.up2(self.bottom(F.max_pool2d(b, 2)))
        y = self.up1(self.join2(torch.cat([y, b], 1)))
        return self.classify(self.join1(torch.cat([y, a], 1)))


def unet() -> nn.Module:
    """Upsampled by transposed convolutions, as in the paper."""
    return UNet((nn.ConvTranspose2d(24, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)))


def unet_nearest() -> nn.Module:
    """Upsampled by repeated pixels and a pointwise convolution."""
    return UNet(tuple(nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(i, o, 1)) for i, o in ((24, 16), (16, 8))))


def unet_bilinear() -> nn.Module:
    """Upsampled by bilinear interpolation and a pointwise convolution."""

    def up(inputs: int, outputs: int) -> nn.Module:
        return nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(inputs, outputs, 1))

    return UNet((up(24, 16), up(16, 8)))


def convolutional_autoencoder() -> nn.Module:
    """float32 [1, 1, 28, 28] -> the same, through 8 channels of 7x7, back by transposed convolutions."""
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, 2, 1), nn.ReLU(), nn.Conv2d(12, 8, 3, 2, 1), nn.ReLU(),
        nn.ConvTranspose2d(8, 12, 3, 2, 1, output_padding=1), nn.ReLU(), nn.ConvTranspose2d(12, 1, 4, 2, 1), nn.Sigmoid(),
    )  # fmt: skip


class TinyYolo(nn.Module):
    """Redmon and Farhadi, 2018: two heads of 2 anchors x (4 + 1 + 3), the finer one fed by upsampled features of the coarser.

    float32 [1, 3, 64, 64] -> [1, 2, 8, 4, 4], [1, 2, 8, 8, 8]: boxes' centres and scores by sigmoid, sizes by exp.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(*(self._conv(i, o, 2) for i, o in ((3, 8), (8, 12), (12, 16))))
        self.deep = self._conv(16, 24, 2)
        self.lateral = self._conv(24, 12, 1)
        self.coarse, self.fine = nn.Conv2d(24, 16, 1), nn.Conv2d(28, 16, 1)

    @staticmethod
    def _conv(inputs: int, outputs: int, stride: int) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.1))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        body = self.body(x)
        deep = self.deep(body)
        fine = torch.cat([F.interpolate(self.lateral(deep), scale_factor=2.0, mode="nearest"), body], 1)
        return self._boxes(self.coarse(deep)), self._boxes(self.fine(fine))

    def _boxes(self, raw: torch.Tensor) -> torch.Tensor:
        n, _, h, w = raw.shape
        raw = raw.view(n, 2, 8, h, w)
        return torch.cat([raw[:, :, :2].sigmoid(), raw[:, :, 2:4].clamp(max=4).exp(), raw[:, :, 4:].sigmoid()], 2)


def tiny_yolo() -> nn.Module:
    return TinyYolo()


def super_resolution() -> nn.Module:
    """Shi et al., 2016 (ESPCN): float32 [1, 1, 16, 16] -> [1, 1, 32, 32] by a sub-pixel convolution."""
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, padding=2),
        nn.Tanh(),
        nn.Conv2d(12, 8, 3, padding=1),
        nn.Tanh(),
        nn.Conv2d(8, 4, 3, padding=1),
        nn.PixelShuffle(2),
    )


class Fomo(nn.Module):
    """A detector of centres on a grid of 8x8, after Edge Impulse's FOMO: float32 [1, 3, 64, 64] -> [1, 4, 8, 8] probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(conv_bn_relu(3, 8, 2), conv_bn_relu(8, 12, 2), conv_bn_relu(12, 16, 2))
        self.head = nn.Sequential(nn.Conv2d(16, 16, 1), nn.ReLU(), nn.Conv2d(16, 4, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.head(self.body(x)), dim=1)


def fomo() -> nn.Module:
    return Fomo()
