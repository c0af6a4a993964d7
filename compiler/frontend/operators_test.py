"""Operators as people write them, in models of little else: int8 and float32 compile, to these kernels, and are near PyTorch."""

from collections.abc import Callable

import pytest

from compiler.frontend.testing import Shapes, compiled, signal_to_noise

import torch  # isort: skip  (after the front end, which sets it up)
import torch.nn.functional as F  # isort: skip
from torch import Tensor, nn  # isort: skip

IMAGE: Shapes = ((4, 10, 12),)
SERIES: Shapes = ((6, 20),)
STEPS: Shapes = ((16, 12),)
VECTOR: Shapes = ((20,),)
FACTORS: Shapes = ((6, 8), (8, 10))

FLOAT_RATIO = 120.0  # dB

CHEQUERED = torch.arange(120).reshape(10, 12) % 3 > 0
FUTURE = torch.ones(16, 16).triu(1).bool()
MASK = torch.zeros(16, 16).masked_fill(FUTURE, -torch.inf)
LOW = torch.tensor([-20000.0, 5, 3, 7, 0, 1, 1, 1, 1, -3, 1, 1])  # -20000 is a number like others where no softmax follows
LAST = torch.zeros(16).masked_fill(torch.arange(16) > 12, -1e4)


class Function(nn.Module):
    """Of the inputs, and of the layers that follow it."""

    def __init__(self, function: Callable[..., Tensor], *layers: nn.Module):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *x: Tensor) -> Tensor:
        return self.function(*x, *self.layers)


def prelu(channels: int) -> nn.Module:
    layer = nn.PReLU(channels)
    nn.init.uniform_(layer.weight, -0.3, 1.2)
    return layer


def norm(layer: nn.Module) -> nn.Module:
    for parameter in layer.parameters():
        nn.init.uniform_(parameter, 0.3, 1.5)
    return layer


class Attention(nn.Module):
    def __init__(self, mask: Tensor | None):
        super().__init__()
        self.layer, self.mask = nn.MultiheadAttention(12, 3, batch_first=True), mask

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x, x, x, attn_mask=self.mask)


class Shuffled(nn.Module):
    """As ShuffleNet's authors write it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(4, 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        n, c, h, w = y.size()
        return torch.transpose(y.view(n, 2, c // 2, h, w), 1, 2).contiguous().view(n, -1, h, w)


class Encoder(nn.Module):
    """Of a layer that normalises first and one that does so last, with a mask that is a float32 buffer of 0 and -inf."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.TransformerEncoderLayer(12, 3, 24, batch_first=True, norm_first=True, activation="gelu")
        self.second = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(16))

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x), src_mask=self.mask)


# The model, shapes of its inputs, the least ratio of int8 to float in dB, and the kernels of int8 if these are to be so.
OPERATORS: dict[str, tuple[Callable[[], nn.Module], Shapes, float, list[str] | None]] = {
    "a convolution with circular padding": (lambda: nn.Conv2d(4, 5, 3, padding=1, padding_mode="circular"), IMAGE, 36, ["take_s8", "conv2d_s8"]),
    "a convolution with reflected padding": (lambda: nn.Conv1d(6, 5, 5, padding=2, padding_mode="reflect"), SERIES, 30, ["take_s8", "conv2d_s8"]),
    "replicated padding": (lambda: nn.ReplicationPad2d((2, 1, 0, 3)), IMAGE, 36, ["take_s8"]),
    "padding that cuts": (lambda: Function(lambda x: F.pad(x, (-1, -2))), IMAGE, 36, ["copy_s8"]),
    "padding that cuts and adds": (lambda: Function(lambda x: F.pad(x, (-1, 2, -2, -1))), IMAGE, 36, ["copy_s8", "pad_s8"]),
    "an even kernel of same size": (lambda: nn.Conv2d(4, 5, (4, 2), padding="same"), IMAGE, 36, ["conv2d_s8"]),
    "an even dilated kernel of same size": (lambda: nn.Conv1d(6, 6, 4, padding="same", dilation=3, groups=3), SERIES, 34, ["conv2d_s8"]),
    "a transposed convolution with everything": (
        lambda: nn.ConvTranspose2d(4, 6, 3, stride=3, padding=1, output_padding=2, groups=2, dilation=2),
        IMAGE,
        36,
        ["transposed_conv2d_s8"],
    ),
    "PReLU of one weight": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.PReLU()), IMAGE, 34, ["conv2d_s8", "table_s8"]),
    "PReLU of channels": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), prelu(6)), IMAGE, 32, ["conv2d_s8", "table_s8", "table_s8", "mul_s8", "add_s8"]),
    "PReLU of a vector": (lambda: nn.Sequential(nn.Linear(20, 6), prelu(6)), VECTOR, 32, ["linear_s8", "table_s8", "table_s8", "depthwise_conv2d_s8", "add_s8"]),
    "GLU": (lambda: nn.GLU(1), IMAGE, 34, ["copy_s8", "copy_s8", "table_s8", "mul_s8"]),
    "a threshold": (lambda: nn.Threshold(0.1, -0.5), IMAGE, 24, ["table_s8"]),
    "shrinking": (lambda: nn.Sequential(nn.Hardshrink(0.25), nn.Softshrink(0.25), nn.Tanhshrink()), IMAGE, 20, ["table_s8"]),
    "a chain of functions": (
        lambda: Function(lambda x: torch.tanh(F.softplus(x)) * x + torch.abs(F.logsigmoid(x)) - 2 ** (-(x**2)) + torch.sign(x)),
        IMAGE,
        20,  # sign() has a step
        ["table_s8"],
    ),
    "hyperbolic functions": (lambda: Function(lambda x: torch.sinh(x) + torch.cosh(x / 2)), IMAGE, 27, ["table_s8"]),
    "logarithms": (lambda: Function(lambda x: torch.log2(x.abs() + 1) + torch.log10(x * x + 1)), IMAGE, 34, ["table_s8"]),
    "a choice by the sign": (lambda: Function(lambda x: torch.where(x > 0, x, 0.1 * x)), IMAGE, 36, ["table_s8"]),
    "a product with a comparison": (lambda: Function(lambda x: x * ((x > 0.5).float() + (x <= -0.5).float())), IMAGE, 26, ["table_s8"]),
    "a choice of two by a comparison": (
        lambda: Function(lambda x, y: torch.where(x >= 0, x, y)),
        IMAGE * 2,
        19,  # near 0 the choice depends on rounding
        ["table_s8", "table_s8", "mul_s8", "add_s8"],
    ),
    "a constant choice of two": (lambda: Function(lambda x, y: torch.where(CHEQUERED, x, y)), IMAGE * 2, 34, ["mul_s8", "mul_s8", "add_s8"]),
    "a constant mask": (lambda: Function(lambda x: x.masked_fill(CHEQUERED, -1.0)), IMAGE, 34, ["mul_s8", "add_s8"]),
    "bounds that are tensors": (
        lambda: Function(lambda x: torch.clamp(x, torch.full((12,), -0.5), torch.linspace(0, 1, 12))),
        IMAGE,
        34,
        ["maximum_s8", "minimum_s8"],
    ),
    "unit length": (lambda: Function(lambda x: F.normalize(x)), VECTOR, 34, ["table_s8", "sum_s8", "table_s8", "copy_s8", "div_s8"]),
    "deviation": (lambda: Function(lambda x: x.std(-1)), STEPS, 36, ["avg_pool2d_s8", "add_s8", "table_s8", "sum_s8", "table_s8"]),
    "Einstein's sum": (lambda: Function(lambda x: torch.einsum("bij,bkj->bki", x, x)), STEPS, 30, ["matmul_s8", "copy_s8"]),
    "masked attention": (
        lambda: Function(lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True)),
        STEPS,
        26,
        ["table_s8", "matmul_s8", "mul_s8", "add_s8", "softmax_s8", "matmul_s8"],
    ),
    "attention with a mask of -inf": (
        lambda: Function(lambda x: F.scaled_dot_product_attention(x, x, x, MASK)),
        STEPS,
        26,
        ["table_s8", "matmul_s8", "mul_s8", "add_s8", "softmax_s8", "matmul_s8"],
    ),
    "a mask of -1e9": (lambda: Function(lambda x: (x @ x.mT).masked_fill(FUTURE, -1e9).softmax(-1)), STEPS, 26, ["matmul_s8", "mul_s8", "add_s8", "softmax_s8"]),
    "a product of large numbers clamped to 6": (
        lambda: Function(lambda x, y: F.relu6((x * 20) @ (y * 20))),
        FACTORS,
        24,
        ["table_s8", "table_s8", "matmul_s8", "table_s8"],
    ),
    "a product clamped to 1": (
        lambda: Function(lambda x, y: F.hardtanh(torch.bmm(x * 4, y * 4))),
        ((6, 16), (16, 10)),
        20,
        ["table_s8", "table_s8", "matmul_s8", "table_s8"],
    ),
    "a product clamped to 0.1": (lambda: Function(lambda x, y: torch.clamp(x @ y, -0.1, 0.1)), FACTORS, 22, ["matmul_s8", "table_s8"]),
    "a product clamped from below": (lambda: Function(lambda x, y: torch.relu(x @ y)), FACTORS, 34, ["matmul_s8"]),
    "a large number that is added": (lambda: Function(lambda x: x + LOW), STEPS, 55, ["add_s8"]),
    "a large number that is added in front of a layer": (lambda: Function(lambda x, layer: layer(x + LOW), nn.Linear(12, 4)), STEPS, 45, None),
    "a large number to fill with": (lambda: Function(lambda x: x.masked_fill(LOW < 0, -20000.0)), STEPS, 55, ["mul_s8", "add_s8"]),
    "a large number to choose": (lambda: Function(lambda x: torch.where(LOW < 0, -20000.0, x)), STEPS, 55, ["mul_s8", "add_s8"]),
    "a large constant to choose": (lambda: Function(lambda x: torch.where(LOW < 0, torch.tensor(-20000.0), x)), STEPS, 55, ["mul_s8", "add_s8"]),
    "a mask that is chosen": (lambda: Function(lambda x: torch.where(FUTURE, torch.tensor(-1e9), x @ x.mT).softmax(-1)), STEPS, 26, None),
    "a mask of other axes": (lambda: Function(lambda x: (x.view(-1, 16, 4, 3) + LOW[:3]).flatten(2).softmax(-1)), STEPS, 30, None),
    "two masks": (lambda: Function(lambda x: (x @ x.mT + MASK + LAST).softmax(-1)), STEPS, 26, None),
    "a mask over a mask": (
        lambda: Function(lambda x: torch.where(LAST < 0, -1e9, (x @ x.mT).masked_fill(FUTURE, -torch.inf)).softmax(-1)),
        STEPS,
        26,
        None,
    ),
    "a mask of scores that are scaled later": (lambda: Function(lambda x: ((x @ x.mT + MASK) / 8).softmax(-1)), STEPS, 26, None),
    "the largest that is not masked": (lambda: Function(lambda x: x.masked_fill(LOW < 0, -torch.inf).amax(-1)), STEPS, 30, None),
    "the largest of steps that are not masked": (lambda: Function(lambda x: x.masked_fill(LAST[:, None] < 0, -torch.inf).amax(1)), STEPS, 30, None),
    "a mask that is subtracted": (lambda: Function(lambda x: (x @ x.mT - FUTURE.float() * 1e4).clamp(min=-1e9).softmax(-1)), STEPS, 26, None),
    "a mask of whole rows": (lambda: Function(lambda x: x.masked_fill(LAST[:, None] < 0, -1e9).softmax(1)), STEPS, 26, None),
    "masked scores in parts": (
        lambda: Function(lambda x: torch.cat([part.softmax(-1) for part in (x @ x.mT + MASK).chunk(2, 1)], 1)),
        STEPS,
        26,
        None,
    ),
    "channels shuffled by hand": (lambda: Shuffled(), IMAGE, 34, ["conv2d_1x1_s8", "copy_s8"]),
    "layer norm": (lambda: norm(nn.LayerNorm(12)), STEPS, 36, ["normalise_s8"]),
    "layer norm of a faint signal": (lambda: Function(lambda x: F.layer_norm(x * 1e-6, (12,))), STEPS, 36, ["table_s8", "normalise_s8"]),
    "RMS norm": (lambda: norm(nn.RMSNorm(12)), STEPS, 36, ["normalise_s8"]),
    "group norm of an image": (
        lambda: nn.Sequential(nn.Conv2d(4, 8, 3), norm(nn.GroupNorm(2, 8))),
        IMAGE,
        36,
        ["conv2d_s8", "normalise_s8"],
    ),
    "group norm of a series": (lambda: nn.Sequential(nn.Conv1d(6, 8, 3), norm(nn.GroupNorm(4, 8))), SERIES, 34, ["conv2d_s8", "normalise_s8"]),
    "instance norm": (lambda: norm(nn.InstanceNorm2d(4, affine=True)), IMAGE, 36, ["normalise_s8"]),
    "multi-head attention": (lambda: Attention(None), STEPS, 28, None),
    "multi-head attention with a mask": (lambda: Attention(FUTURE), STEPS, 26, None),
    "a transformer's encoder": (lambda: Encoder(), STEPS, 26, None),
    "bilinear upsampling, corners aligned": (
        lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
        IMAGE,
        34,
        None,
    ),
    "bilinear upsampling to a size": (lambda: nn.Upsample((13, 31), mode="bilinear"), IMAGE, 34, None),
    "linear upsampling": (lambda: nn.Upsample(scale_factor=1.5, mode="linear"), SERIES, 34, None),
    "nearest of other sizes": (lambda: nn.Sequential(nn.Upsample((13, 31)), nn.Upsample((7, 9), mode="nearest-exact")), IMAGE, 36, None),
}


def made(name: str) -> tuple[nn.Module, Shapes]:
    torch.manual_seed(1)
    build, shapes, *_ = OPERATORS[name]
    return build().eval(), shapes


@pytest.mark.parametrize("name", OPERATORS)
def test_int8_is_near_float_in_these_kernels(name: str) -> None:
    model, shapes = made(name)
    program = compiled(model, shapes, samples=24)
    *_, least, kernels = OPERATORS[name]
    assert kernels is None or sorted(step.kernel for step in program.steps) == sorted(kernels)
    assert signal_to_noise(model, program, shapes) >= least


@pytest.mark.parametrize("name", OPERATORS)
def test_float_is_what_pytorch_computes(name: str) -> None:
    model, shapes = made(name)
    assert signal_to_noise(model, compiled(model, shapes, "float32"), shapes) >= FLOAT_RATIO


def test_a_softmax_of_scores_that_are_all_masked_is_that_of_the_scores() -> None:
    model = Function(lambda x: (x + LOW).softmax(1))
    assert signal_to_noise(model, compiled(model, STEPS, "float32"), STEPS) >= FLOAT_RATIO


def test_prelu_of_channels_keeps_small_results() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(8, 8, 3), nn.PReLU(8)).eval()
    nn.init.constant_(model[0].bias, -3.0)
    nn.init.constant_(model[1].weight, 0.01)
    assert signal_to_noise(model, compiled(model, ((8, 10, 12),)), ((8, 10, 12),)) >= 48
