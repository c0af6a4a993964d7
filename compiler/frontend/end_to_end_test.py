"""From PyTorch to integers: what the compiled program computes is what PT2E's quantised model says, within one step of int8.

Where a later layer's scale is finer than an earlier one's, one step there is several here: `FINER` says how many.
"""

from pathlib import Path

import numpy as np
import pytest

from compiler.compile import LoweringRequest, lower_graph
from compiler.errors import CompileError
from compiler.frontend.build_graph import build_graph, quantise
from compiler.frontend.calibration import calibration_samples
from compiler.frontend.capture import capture
from compiler.frontend.importer import import_graph
from compiler.frontend.user_code import UserCode
from compiler.frontend.written_models import in_workspace, write_model  # noqa: F401
from compiler.ir import Graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.port_types import PortType, PortTypes, port_types_from_texts
from compiler.program import Program
from compiler.pte_compiler import serve
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.operator import TIERS
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

MODELS = {
    "the input and a constant among the outputs": (
        (1, 3, 8, 9),
        "self.conv = nn.Conv2d(3, 4, 3); self.register_buffer('table', torch.linspace(-1, 2, 5).reshape(1, 5))",
        "return x, self.conv(x), self.table",
        ["conv2d_s8", "copy_s8", "copy_s8"],
    ),
    "linear layers of a vector": (
        (7,),
        "self.a = nn.Linear(7, 5); self.b = nn.Linear(5, 3)",
        "return self.b(F.relu(self.a(x)))",
        ["linear_s8", "linear_s8"],
    ),
    "nothing but the input": ((1, 3, 8, 9), "pass", "return x, x.reshape(1, 27, 8)", ["copy_s8", "copy_s8"]),
    "convolution with batch norm and relu": (
        (1, 3, 8, 9),
        "self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False); self.bn = nn.BatchNorm2d(8)",
        "return F.relu(self.bn(self.conv(x)))",
        ["conv2d_s8"],
    ),
    "convolution of a single channel, strided, behind an uneven pad": (
        (1, 1, 12, 7),
        "self.conv = nn.Conv2d(1, 8, (10, 4), stride=2)",
        "return F.relu(self.conv(F.pad(x, (1, 1, 4, 5))))",
        ["conv2d_s8"],
    ),
    "depthwise and pointwise convolution with dropout between": (
        (1, 8, 7, 7),
        "self.dw = nn.Conv2d(8, 8, 3, padding=1, groups=8); self.drop = nn.Dropout(); self.pw = nn.Conv2d(8, 12, 1)",
        "return F.relu6(self.pw(self.drop(F.relu6(self.dw(x)))))",
        ["depthwise_conv2d_3x3_s8", "conv2d_1x1_s8"],
    ),
    "depthwise convolution with a multiplier and dilation": (
        (1, 4, 9, 9),
        "self.dw = nn.Conv2d(4, 8, 3, padding=2, dilation=2, groups=4)",
        "return self.dw(x)",
        ["depthwise_conv2d_dilated_s8"],
    ),
    "grouped convolution": (
        (1, 8, 6, 6),
        "self.conv = nn.Conv2d(8, 12, 3, groups=4)",
        "return F.hardtanh(self.conv(x))",
        ["conv2d_s8"],
    ),
    "transposed convolutions: twice as large, in groups, and none of these": (
        (1, 6, 5, 4),
        "self.a = nn.ConvTranspose2d(6, 8, 4, stride=2, padding=1); self.bn = nn.BatchNorm2d(8);"
        " self.b = nn.ConvTranspose2d(8, 6, 3, stride=(3, 2), output_padding=(2, 1), groups=2); self.c = nn.ConvTranspose2d(6, 4, 3, padding=1)",
        "return self.c(F.relu(self.b(F.relu(self.bn(self.a(x))))))",
        ["transposed_conv2d_s8", "transposed_conv2d_s8", "conv2d_s8"],
    ),
    "a transposed convolution over time": (
        (1, 4, 9),
        "self.a = nn.ConvTranspose1d(4, 6, 5, stride=2, padding=2, dilation=3)",
        "return F.relu(self.a(x))",
        ["transposed_conv2d_s8"],
    ),
    "residual addition": (
        (1, 6, 6, 6),
        "self.a = nn.Conv2d(6, 6, 3, padding='same'); self.b = nn.Conv2d(6, 6, 3, padding=1)",
        "y = F.relu(self.a(x)); return F.relu(y + self.b(y))",
        ["conv2d_s8", "conv2d_s8", "add_s8"],
    ),
    "linear layers with batch norm": (
        (1, 40),
        "self.a = nn.Linear(40, 24); self.bn = nn.BatchNorm1d(24); self.b = nn.Linear(24, 10)",
        "return self.b(F.relu(self.bn(self.a(x))))",
        ["linear_s8", "linear_s8"],
    ),
    "linear layer over several rows": (
        (1, 5, 12),
        "self.a = nn.Linear(12, 8)",
        "return self.a(x)",
        ["conv2d_1x1_s8"],
    ),
    "NCHW features flattened before a linear layer": (
        (1, 3, 6, 5),
        "self.conv = nn.Conv2d(3, 4, 3, padding=1); self.fc = nn.Linear(4 * 6 * 5, 7)",
        "return self.fc(torch.flatten(F.relu(self.conv(x)), 1))",
        ["conv2d_s8", "linear_s8"],
    ),
    "maximum pool, then relu, then average pool": (
        (1, 4, 9, 9),
        "self.conv = nn.Conv2d(4, 4, 1)",
        "return F.avg_pool2d(F.relu(F.max_pool2d(self.conv(x), 3, 2, 1, ceil_mode=True)), 2, 1)",
        ["conv2d_1x1_s8", "max_pool2d_s8", "avg_pool2d_s8"],
    ),
    "global average pool by mean, classifier and softmax": (
        (1, 4, 5, 5),
        "self.conv = nn.Conv2d(4, 16, 3); self.fc = nn.Linear(16, 5)",
        "return torch.softmax(self.fc(F.relu(self.conv(x)).mean((2, 3))), dim=-1)",
        ["conv2d_s8", "avg_pool2d_s8", "linear_s8", "softmax_s8"],
    ),
    "adaptive pool and a classifier by convolution": (
        (1, 4, 6, 6),
        "self.conv = nn.Conv2d(4, 8, 3, padding=1); self.pool = nn.AdaptiveAvgPool2d(1); self.head = nn.Conv2d(8, 3, 1)",
        "return self.head(self.pool(F.relu(self.conv(x)))).squeeze(-1).squeeze(-1)",
        ["conv2d_s8", "avg_pool2d_s8", "conv2d_1x1_s8"],
    ),
    "convolutions over time with a residual": (
        (1, 4, 20),
        "self.a = nn.Conv1d(4, 6, 3, padding=1); self.b = nn.Conv1d(6, 6, 3, padding=1); self.bn = nn.BatchNorm1d(6)",
        "y = F.relu(self.bn(self.a(x))); return y + self.b(y)",
        ["conv2d_s8", "conv2d_s8", "add_s8"],
    ),
    "a model that takes and gives channels last": (
        (1, 6, 5, 3),
        "self.conv = nn.Conv2d(3, 4, 3, padding=1)",
        "return self.conv(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)",
        ["conv2d_s8"],
    ),
    "a batch norm in front of everything": (
        (1, 3, 5, 5),
        "self.bn = nn.BatchNorm2d(3); self.conv = nn.Conv2d(3, 4, 3)",
        "return self.conv(self.bn(x))",
        ["depthwise_conv2d_s8", "conv2d_s8"],
    ),
    "batch norms that a convolution must not take in: its result, or its weights, are used elsewhere too": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 3, 1); self.n = nn.BatchNorm2d(3); self.m = nn.BatchNorm2d(3)",
        "y = self.a(x); return self.n(y) + F.relu(y) + self.m(self.a(y))",
        ["conv2d_1x1_s8", "depthwise_conv2d_s8", "max_pool2d_s8", "add_s8", "conv2d_1x1_s8", "depthwise_conv2d_s8", "add_s8"],
    ),
    "a twin with one batch norm, and one of features": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 3); self.n = nn.BatchNorm2d(4); self.m = nn.BatchNorm1d(36); self.b = nn.Linear(36, 5)",
        "y = F.relu(self.n(self.a(x))) - self.n(self.a(x.flip(3))); return self.b(self.m(y.flatten(1)))",
        ["conv2d_s8", "copy_s8", "conv2d_s8", "add_s8", "copy_s8", "depthwise_conv2d_s8", "linear_s8"],
    ),
    "a relu that nothing takes in": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(4, 4, 1)",
        "y = self.a(x); return F.relu(y) + self.b(y)",
        ["conv2d_1x1_s8", "max_pool2d_s8", "conv2d_1x1_s8", "add_s8"],
    ),
    "an input that is clamped before its convolution, and taken apart after its pool": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 3); self.b = nn.Linear(4, 4)",
        "return self.b(F.adaptive_avg_pool2d(self.a(F.relu(x)), 1)[:, :, 0, 0])",
        ["max_pool2d_s8", "conv2d_s8", "avg_pool2d_s8", "linear_s8"],
    ),
    "swish, spelled out and built in, between convolutions": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 8, 3); self.b = nn.Conv2d(8, 4, 1)",
        "y = self.a(x); return F.silu(self.b(y * torch.sigmoid(y)))",
        ["conv2d_s8", "table_s8", "conv2d_1x1_s8", "table_s8"],
    ),
    "hardswish, spelled out, on channels that are flattened": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 8, 3); self.b = nn.Linear(128, 4)",
        "y = self.a(x); return torch.tanh(self.b((y * F.relu6(y + 3) / 6).flatten(1)))",
        ["conv2d_s8", "table_s8", "linear_s8", "table_s8"],
    ),
    "branches joined along channels": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(3, 5, 3, padding=1); self.c = nn.Conv2d(9, 4, 1)",
        "return self.c(torch.cat([F.relu(self.a(x)), F.relu(self.b(x))], 1))",
        ["conv2d_1x1_s8", "conv2d_s8", "concat_2_s8", "conv2d_1x1_s8"],
    ),
    "more branches than one kernel joins": (
        (1, 4, 5, 5),
        "self.a = nn.Conv2d(4, 6, 1)",
        "y = self.a(x); z = [F.max_pool2d(y, k, 1, k // 2) for k in (3, 5)]; return torch.cat([y, *z, x, x, y], 1)",
        ["conv2d_1x1_s8", "max_pool2d_s8", "max_pool2d_s8", "concat_3_s8", "concat_4_s8"],
    ),
    "branches of different scales joined": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(3, 4, 1)",
        "return torch.cat([torch.sigmoid(self.a(x)), F.relu(self.b(x))], 1)",
        ["conv2d_1x1_s8", "table_s8", "conv2d_1x1_s8", "concat_2_s8"],
    ),
    "channel shuffle by view, transpose and view": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 12, 1); self.b = nn.Conv2d(12, 6, 1, groups=3)",
        "y = self.a(x); y = y.view(1, 3, 4, 5, 5).transpose(1, 2).reshape(1, 12, 5, 5); return self.b(y)",
        ["conv2d_1x1_s8", "copy_s8", "conv2d_s8"],
    ),
    "a shuffle unit: channels split, one half convolved, joined and shuffled": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 8, 1); self.b = nn.Conv2d(4, 4, 1); self.c = nn.Conv2d(8, 4, 1); self.s = nn.ChannelShuffle(2)",
        "y, z = self.a(x).chunk(2, 1); return self.c(self.s(torch.cat([y, F.relu(self.b(z))], 1)))",
        ["conv2d_1x1_s8", "copy_s8", "copy_s8", "conv2d_1x1_s8", "concat_2_s8", "copy_s8", "conv2d_1x1_s8"],
    ),
    "an hourglass: pooled, upsampled by two, joined with what it was": (
        (1, 3, 8, 8),
        "self.a = nn.Conv2d(3, 6, 3, padding=1); self.b = nn.Conv2d(6, 8, 1); self.c = nn.Conv2d(14, 4, 3, padding=1)",
        "y = F.relu(self.a(x)); z = F.relu(self.b(F.max_pool2d(y, 2)));"
        " return self.c(torch.cat([F.interpolate(z, scale_factor=2.0), y], 1))",
        ["conv2d_s8", "max_pool2d_s8", "conv2d_1x1_s8", "copy_s8", "concat_2_s8", "conv2d_s8"],
    ),
    "upsampling to a size that is no multiple": (
        (1, 3, 5, 4),
        "self.a = nn.Conv2d(3, 6, 1); self.b = nn.Conv2d(6, 4, 1)",
        "return self.b(F.interpolate(self.a(x), size=(7, 9), mode='nearest'))",
        ["conv2d_1x1_s8", "take_s8", "conv2d_1x1_s8"],
    ),
    "sub-pixel convolution": (
        (1, 3, 4, 5),
        "self.a = nn.Conv2d(3, 12, 1); self.shuffle = nn.PixelShuffle(2)",
        "return self.shuffle(self.a(x))",
        ["conv2d_1x1_s8", "copy_s8"],
    ),
    "padding with a number that nothing takes in": (
        (1, 3, 4, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(4, 4, 3)",
        "return self.b(F.pad(self.a(x), (1, 2, 0, 1), value=0.5))",
        ["conv2d_1x1_s8", "pad_s8", "conv2d_s8"],
    ),
    "a split into unequal parts, and a stack of them": (
        (1, 10),
        "self.a = nn.Linear(10, 12); self.b = nn.Linear(4, 4)",
        "y, z, w = self.a(x).split([4, 4, 4], 1); return self.b(torch.stack([w, y, z], 1))",
        ["linear_s8", "copy_s8", "copy_s8", "copy_s8", "concat_3_s8", "conv2d_1x1_s8"],
    ),
    "a transpose between images that stays": (
        (1, 3, 4, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(4, 4, 3)",
        "return self.b(self.a(x).transpose(2, 3))",
        ["conv2d_1x1_s8", "copy_s8", "conv2d_s8"],
    ),
    "an input of which a part is taken, upside down": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(2, 4, 3)",
        "return self.a(x[:, 1:3, ::2].flip(2).repeat(1, 1, 2, 1))",
        ["copy_s8", "conv2d_s8"],
    ),
    "squeeze and excitation by linear layers": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 8, 3, padding=1); self.down = nn.Linear(8, 4); self.up = nn.Linear(4, 8); self.b = nn.Conv2d(8, 3, 1)",
        "y = F.relu(self.a(x)); s = F.relu(self.down(F.adaptive_avg_pool2d(y, 1).flatten(1)));"
        " return self.b(y * torch.sigmoid(self.up(s))[:, :, None, None])",
        ["conv2d_s8", "avg_pool2d_s8", "linear_s8", "linear_s8", "table_s8", "mul_s8", "conv2d_1x1_s8"],
    ),
    "squeeze and excitation by convolutions": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 8, 3); self.down = nn.Conv2d(8, 4, 1); self.up = nn.Conv2d(4, 8, 1)",
        "y = F.hardswish(self.a(x)); s = F.relu(self.down(y.mean((2, 3), keepdim=True)));"
        " return F.relu(y * F.hardsigmoid(self.up(s)))",
        ["conv2d_s8", "table_s8", "avg_pool2d_s8", "conv2d_1x1_s8", "conv2d_1x1_s8", "table_s8", "mul_s8"],
    ),
    "attention over pixels, and a difference": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 8, 3); self.b = nn.Conv2d(8, 1, 1)",
        "y = self.a(x); z = y * torch.sigmoid(self.b(y)); return F.relu(z - y)",
        ["conv2d_s8", "conv2d_1x1_s8", "table_s8", "mul_s8", "add_s8"],
    ),
    "constants per channel, per tensor and per element": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.scale = nn.Parameter(torch.rand(4, 1, 1) + 0.5);"
        " self.offset = nn.Parameter(torch.tensor(0.7)); self.map = nn.Parameter(torch.randn(1, 4, 5, 5))",
        "return torch.sub(self.a(x) * self.scale + self.offset, self.map, alpha=2)",
        ["conv2d_1x1_s8", "mul_s8", "table_s8", "add_s8"],
    ),
    "layers with extremes of two branches": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(3, 4, 1); self.c = nn.Conv2d(4, 4, 1)",
        "y, z = self.a(x), self.b(x); return self.c(torch.maximum(y, z) - torch.minimum(y, torch.sigmoid(z)))",
        ["conv2d_1x1_s8", "conv2d_1x1_s8", "maximum_s8", "table_s8", "minimum_s8", "add_s8", "conv2d_1x1_s8"],
    ),
    "a quotient of a tensor and its norm over channels": (
        (1, 6, 4, 4),
        "self.a = nn.Conv2d(6, 8, 1); self.b = nn.Conv2d(6, 1, 1)",
        "return self.a(x) / (self.b(x).abs() + 0.5)",
        ["conv2d_1x1_s8", "conv2d_1x1_s8", "table_s8", "div_s8"],
    ),
    "a mean over time, and one over channels": (
        (1, 12, 8),
        "self.a = nn.Linear(8, 6)",
        "y = self.a(x); return y.mean(1), y.mean((0, 2), keepdim=True)",
        ["conv2d_1x1_s8", "sum_s8", "sum_s8"],
    ),
    "squeeze and excitation statistics: mean, sum, largest and smallest over the image": (
        (1, 3, 6, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Linear(16, 4)",
        "y = self.a(x); z = [y.mean((2, 3)), y.sum((2, 3)), y.amax((2, 3)), y.flatten(2).min(2).values]; return self.b(torch.cat(z, 1))",
        ["conv2d_1x1_s8", "avg_pool2d_s8", "sum_s8", "amax_s8", "amin_s8", "concat_4_s8", "linear_s8"],
    ),
    "a sum over channels, and all of everything": (
        (1, 3, 6, 5),
        "self.a = nn.Conv2d(3, 4, 3); self.b = nn.Linear(3, 5)",
        "y = F.relu(self.a(x)); z = torch.stack([y.sum(), y.mean(), y.max()]); return y.sum(1, keepdim=True), y.amax(1), self.b(z[None])",
        ["conv2d_s8", "sum_s8", "sum_s8", "amax_s8", "concat_3_s8", "sum_s8", "amax_s8", "linear_s8"],
    ),
    "softmax over the rows of an image, in the layout of the convolution": (
        (1, 3, 6, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(4, 3, 1)",
        "return self.b(torch.softmax(self.a(x), 2))",
        ["conv2d_1x1_s8", "softmax_s8", "conv2d_1x1_s8"],
    ),
    "attention of two heads": (
        (1, 6, 8),
        "self.q = nn.Linear(8, 8); self.k = nn.Linear(8, 8); self.v = nn.Linear(8, 8); self.o = nn.Linear(8, 4)",
        "q, k, v = (m(x).view(1, 6, 2, 4).transpose(1, 2) for m in (self.q, self.k, self.v));"
        " p = torch.softmax(q @ k.transpose(-1, -2), -1); return self.o((p @ v).transpose(1, 2).reshape(1, 6, 8))",
        ["conv2d_1x1_s8", "copy_s8"] * 3 + ["matmul_s8", "softmax_s8", "matmul_s8", "copy_s8", "conv2d_1x1_s8"],
    ),
    "attention as PyTorch calls it": (
        (1, 6, 8),
        "self.a = nn.Linear(8, 24)",
        "q, k, v = self.a(x).chunk(3, -1); return F.scaled_dot_product_attention(q, k, v)",
        ["conv2d_1x1_s8"] + ["copy_s8"] * 3 + ["table_s8", "matmul_s8", "softmax_s8", "matmul_s8"],
    ),
    "a logarithm of probabilities": (
        (1, 12),
        "self.a = nn.Linear(12, 10)",
        "return F.log_softmax(self.a(x), -1)",
        ["linear_s8", "log_softmax_s8"],
    ),
    "two outputs": (
        (1, 3, 5, 5),
        "self.a = nn.Conv2d(3, 4, 1); self.b = nn.Conv2d(4, 4, 1)",
        "y = self.a(x); return y, self.b(y)",
        ["conv2d_1x1_s8", "conv2d_1x1_s8"],
    ),
    "weights and biases that are computed": (
        (1, 3, 6, 6),
        "self.c = nn.Conv2d(3, 5, 3); self.bn = nn.BatchNorm2d(5); self.t = nn.ConvTranspose2d(5, 3, 2)",
        "y = self.bn(F.conv2d(x, self.c.weight * 2, self.c.bias * 3)); return F.conv_transpose2d(y, -self.t.weight, self.t.bias)",
        ["conv2d_s8", "conv2d_s8"],
    ),
    "standardised weights": (
        (1, 3, 6, 6),
        "self.c = nn.Conv2d(3, 5, 3)",
        "w = self.c.weight; m = w.mean((1, 2, 3), keepdim=True); s = w.std((1, 2, 3), keepdim=True);"
        " return F.conv2d(x, (w - m) / (s + 1e-5), self.c.bias)",
        ["conv2d_s8"],
    ),
    "weights under a weight norm and a spectral norm": (
        (1, 3, 6, 6),
        "n = nn.utils.parametrizations; self.w = n.weight_norm(nn.Conv2d(3, 8, 3)); self.s = n.spectral_norm(nn.Conv2d(8, 5, 1))",
        "return self.s(F.relu(self.w(x)))",
        ["conv2d_s8", "conv2d_1x1_s8"],
    ),
    "an autoencoder with the encoder's weights": (
        (1, 6),
        "self.a = nn.Linear(6, 4)",
        "return F.linear(F.relu(self.a(x)), self.a.weight.t())",
        ["linear_s8", "linear_s8"],
    ),
    "constants that forward() makes": (
        (1, 6, 4),
        "",
        "return x * (torch.arange(6).float() / 6).view(1, 6, 1) + torch.tensor([1.0, 2.0, 3.0, 4.0])",
        ["mul_s8", "add_s8"],
    ),
    "a function that is a result and is clamped": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 4, 1)",
        "y = torch.tanh(self.a(x)); return F.relu(y), y",
        ["conv2d_1x1_s8", "table_s8", "table_s8"],
    ),
    "a function that is taken apart and clamped": (
        (1, 4, 6, 6),
        "",
        "y = x * 2; a, b = y.chunk(2, 1); return F.relu(y), a * b",
        ["table_s8", "copy_s8", "copy_s8", "table_s8", "mul_s8"],
    ),
    "functions of what is clamped, and is taken apart": (
        (1, 4, 6, 6),
        "",
        "y = F.silu(x); a, b = y.chunk(2, 1); return F.relu(y) + y, F.relu6(F.relu(y)).exp(), a * b",
        ["table_s8", "copy_s8", "copy_s8", "table_s8", "table_s8", "mul_s8"],
    ),
    "a function of a result and of what is not kept of it": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 4, 1)",
        "y = self.a(x); s = y.sigmoid(); z = y * s; return z, z + s",
        ["conv2d_1x1_s8", "table_s8", "table_s8"],
    ),
    "the same, written over the tensor that it is a function of": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 4, 1)",
        "y = self.a(x); s = y.sigmoid(); z = y.mul_(s); return z, z + s",
        ["conv2d_1x1_s8", "table_s8", "table_s8"],
    ),
    "functions of a function that is rounded and of one that is not": (
        (1, 4, 6, 6),
        "self.a = nn.Conv2d(4, 4, 1)",
        "y = self.a(x); t = y.tanh(); s = t.exp(); z = y * s; return t, z, F.relu(z) + s",
        ["conv2d_1x1_s8", "table_s8", "table_s8", "table_s8"],
    ),
    "concats of one tensor and each other, whose scales are one": (
        (1, 3, 6, 6),
        "",
        "v = torch.cat([x, x], 1); w = torch.cat([v, x], 1); return w, F.relu(v)",
        ["concat_2_s8", "concat_2_s8", "max_pool2d_s8"],
    ),
    "concats of everything before, as in a dense block": (
        (1, 3, 6, 6),
        "self.a = nn.Conv2d(3, 3, 1); self.b = nn.Conv2d(6, 3, 1)",
        "v = torch.cat([x, self.a(x)], 1); w = torch.cat([v, x], 1); return w, self.b(v)",
        ["conv2d_1x1_s8", "concat_2_s8", "concat_2_s8", "conv2d_1x1_s8"],
    ),
}

FINER = {
    "an input that is clamped before its convolution, and taken apart after its pool": 2,
    "adaptive pool and a classifier by convolution": 5,  # up to 14 if all of the pool's outputs are a step off
    "a relu that nothing takes in": 3,  # up to 5
    "batch norms that a convolution must not take in: its result, or its weights, are used elsewhere too": 2,
    "two outputs": 2,
}


def lowered(graph: Graph, tier: str = "scalar", io: PortTypes = PortTypes()) -> Program:
    return lower(run_passes(graph, io=io), tier, OPERATORS)


@pytest.mark.parametrize("name", MODELS)
def test_the_program_computes_what_the_quantised_model_says(name, tmp_path):
    check_program(tmp_path, *MODELS[name], FINER.get(name, 1))


def check_program(folder: Path, shape: tuple[int, ...], layers: str, forward: str, kernels: list[str], steps: int = 1) -> None:
    """Compiles the model to these kernels, which compute what PT2E's quantised model says, within some steps of int8."""
    request = write_model(folder, shape, layers, forward)
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
        fake_quantised = quantise(captured, calibration_samples(request.calibration, code, captured), code)
        graph = import_graph(request.name, captured, fake_quantised, code)
    program = lowered(graph)
    assert [step.kernel for step in program.steps] == kernels

    (port,) = program.inputs
    for seed in range(20, 24):
        x = to_firmware(port, torch.randn(shape, generator=torch.Generator().manual_seed(seed)).numpy())
        expected = torch.utils._pytree.tree_leaves(fake_quantised(torch.from_numpy(from_firmware(port, x))))
        results = run_program(program, OPERATORS, {port.name: x})
        for output, wanted in zip(program.outputs, expected):
            errors = (from_firmware(output, results[output.name]) - wanted.numpy()) / output.type.scale
            assert results[output.name].std() > 0, "a constant output would prove nothing"
            assert np.abs(np.rint(errors)).max() <= steps


@pytest.mark.parametrize(
    "function",
    [
        "torch.sigmoid(x)",
        "torch.tanh(x)",
        "F.silu(x)",
        "F.gelu(x)",
        "F.gelu(x, approximate='tanh')",
        "F.hardswish(x)",
        "F.hardsigmoid(x)",
        "F.elu(x, 0.7)",
        "F.selu(x)",
        "F.celu(x, 1.5)",
        "F.leaky_relu(x, 0.1)",
        "F.softplus(x)",
        "F.mish(x)",
        "torch.exp(x)",
        "torch.log(x + 4)",
        "torch.sqrt(x.abs())",
        "torch.rsqrt(x.abs() + 0.5)",
        "1 / (x * x + 1)",
        "(-x).square() - 3",
        "torch.sin(x) + torch.cos(2 * x)",
        "3 - x",
        "torch.add(x, 2, alpha=3)",
        "x ** 3",
        "F.relu(x - 0.5).minimum(x + 0.25)",
        "torch.erf(x / 2)",
        "torch.log1p(torch.exp(x)) - torch.expm1(x).reciprocal().clamp(-1, 1)",
    ],
)
def test_a_function_of_a_single_tensor_is_one_table(function, tmp_path):
    request = write_model(tmp_path, (1, 3, 16), "", f"return {function}")
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
        fake_quantised = quantise(captured, calibration_samples(request.calibration, code, captured), code)
        program = lowered(import_graph(request.name, captured, fake_quantised, code))
    assert [step.kernel for step in program.steps] == ["table_s8"]
    (port,), (result,) = program.inputs, program.outputs
    x = np.arange(-128, 128).astype(np.int8)
    for chunk in np.pad(x, (0, 32)).reshape(-1, *port.type.shape):
        wanted = fake_quantised(torch.from_numpy(from_firmware(port, chunk)))[0].numpy()
        steps = (from_firmware(result, run_program(program, OPERATORS, {port.name: chunk})[result.name]) - wanted) / result.type.scale
        assert np.abs(np.rint(steps[np.isfinite(steps)])).max() <= 1


def test_every_tier_lowers_and_only_packing_differs(tmp_path):
    graph = build_graph(write_model(tmp_path, *MODELS["residual addition"][:3]))
    programs = [lowered(graph, tier) for tier in TIERS]
    x = {"x": np.arange(216, dtype=np.int8).reshape(1, 6, 6, 6)}
    outputs = [run_program(program, OPERATORS, x) for program in programs]
    (name,) = outputs[0]
    assert all(np.array_equal(output[name], outputs[0][name]) for output in outputs)


def test_two_inputs_a_shared_layer_and_the_dump_of_passes(tmp_path):
    request = write_model(
        tmp_path, (1, 3, 6, 6), "self.conv = nn.Conv2d(3, 3, 3, padding=1)", "return self.conv(self.conv(x)) + y"
    )
    text = (tmp_path / "model.py").read_text().replace("forward(self, x)", "forward(self, x, y)")
    text = text.replace("(torch.zeros(1, 3, 6, 6),)", "(torch.zeros(1, 3, 6, 6), torch.zeros(1, 3, 6, 6))")
    text = text.replace("yield (torch.randn(1, 3, 6, 6, ", "yield (torch.ones(1, 3, 6, 6), torch.randn(1, 3, 6, 6, ")
    (tmp_path / "model.py").write_text(text)
    flags = [
        "--entry=model:build_model",
        "--srcs=model.py",
        "--graph=m.graph",
        "--tier=mve",
        "--pte=m.pte",
        "--dump-passes=dump",
    ]
    assert serve(flags) == (0, "")
    (last,) = (tmp_path / "dump").glob("*_share_constants.txt")
    assert last.read_text().startswith("graph model\n")
    program = lowered(build_graph(request))
    assert [port.name for port in program.inputs] == ["x", "y"]
    assert [step.kernel for step in program.steps] == ["conv2d_s8", "conv2d_s8", "add_s8"]
    assert program.weights_bytes == 81, "weights that are used twice are there once"


def test_float_inputs_and_outputs_are_quantised_by_the_program(tmp_path):
    graph = build_graph(write_model(tmp_path, *MODELS["convolution with batch norm and relu"][:3]))
    program = lowered(graph, io=PortTypes(PortType("float32")))
    assert [step.kernel for step in program.steps] == ["quantize_s8", "conv2d_s8", "dequantize_s8"]
    assert program.inputs[0].type.dtype == program.outputs[0].type.dtype == "float32"
    assert program.inputs[0].type.shape == (1, 8, 9, 3)


def test_layers_and_source_lines_survive_to_the_steps(tmp_path):
    graph = build_graph(write_model(tmp_path, *MODELS["residual addition"][:3]))
    line = (tmp_path / "model.py").read_text().splitlines().index(
        "        y = F.relu(self.a(x)); return F.relu(y + self.b(y))"
    ) + 1
    steps = lowered(graph).steps
    assert [step.layer for step in steps] == ["a", "b", "add"]
    assert {str(step.source) for step in steps} == {f"model.py:{line}"}


def test_the_line_of_a_function_that_forward_calls_is_the_innermost(tmp_path):
    request = write_model(tmp_path, (1, 3, 4, 4), "self.conv = nn.Conv2d(3, 4, 1)", "return self.features(x)")
    text = (tmp_path / "model.py").read_text()
    text = text.replace(
        "def build_model", "def features(self, x):\n    return self.conv(x)\n\nModel.features = features\n\ndef build_model"
    )
    (tmp_path / "model.py").write_text(text)
    (step,) = lowered(build_graph(request)).steps
    assert str(step.source) == f"model.py:{text.splitlines().index('    return self.conv(x)') + 1}"


def test_the_compiled_files_say_the_same_in_every_compile(tmp_path):
    request = write_model(tmp_path, *MODELS["residual addition"][:3])
    first, second = (lower_graph(build_graph(request), LoweringRequest("mve")) for _ in range(2))
    assert first == second


def test_an_argmax_gives_indices_in_the_order_of_the_users_axes(tmp_path):
    forward = "y = self.a(x); return y, y.argmax(1), y.min(3, keepdim=True).indices, y.argmax()"
    request = write_model(tmp_path, (1, 3, 6, 5), "self.a = nn.Conv2d(3, 7, 1)", forward)
    program = lowered(build_graph(request))
    assert [step.kernel for step in program.steps] == ["conv2d_1x1_s8", "copy_s8", "argmax_s8", "argmin_s8", "argmax_s8"]
    assert [port.type.dtype for port in program.outputs] == ["int8", "int32", "int32", "int32"]
    (port,) = program.inputs
    x = to_firmware(port, torch.randn((1, 3, 6, 5), generator=torch.Generator().manual_seed(3)).numpy())
    results = run_program(program, OPERATORS, {port.name: x})
    y, *indices = (results[output.name].transpose(np.argsort(output.permutation)) for output in program.outputs)
    assert np.array_equal(indices[0], y.argmax(1))
    assert np.array_equal(indices[1], y.argmin(3, keepdims=True))
    assert indices[2] == y.argmax()


@pytest.mark.parametrize("tier", TIERS)
def test_int16_inputs_and_outputs_are_requantised_by_the_program(tmp_path, tier):
    graph = build_graph(write_model(tmp_path, *MODELS["convolution with batch norm and relu"][:3]))
    program = lowered(graph, tier, port_types_from_texts(["int16"]))
    assert [step.kernel for step in program.steps] == ["requantize_s16_s8", "conv2d_s8", "requantize_s8_s16"]
    (source,) = program.inputs
    assert (source.type.dtype, source.type.shape, source.type.zero_point) == ("int16", (1, 8, 9, 3), 0)
    of_int8 = lowered(graph, tier)
    reals = torch.randn((1, 3, 8, 9), generator=torch.Generator().manual_seed(7)).numpy()
    found, wanted = (
        from_firmware(program.outputs[0], run_program(program, OPERATORS, {"x": to_firmware(program.inputs[0], reals)})["relu"])
        for program in (program, of_int8)
    )
    step = of_int8.outputs[0].type.scale
    assert np.abs(found - wanted).max() <= 1.01 * step and np.mean(np.abs(found - wanted) > 0.01 * step) < 0.05


def test_a_named_port_that_is_none_is_refused(tmp_path):
    graph = build_graph(write_model(tmp_path, *MODELS["convolution with batch norm and relu"][:3]))
    with pytest.raises(CompileError, match="y is to be int16, but no input or output has that name: they are relu, x"):
        lower_graph(graph, LoweringRequest("scalar", io=port_types_from_texts(["y=int16"])))
