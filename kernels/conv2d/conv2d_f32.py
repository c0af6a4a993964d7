"""conv2d of float32, NHWC.

    y = bias + w0 * x0 + w1 * x1 + ..., clamped: one sum in the order of the taps (row, column, channel), each product and each sum
    rounded to float32; taps in the padding are left out

Attributes of a call:
    weight             float32 [O, KH, KW, I / groups]
    bias               float32 [O]
    stride, dilation, padding, groups   as for int8
    activation_min, activation_max      real numbers, or -infinity and infinity

Kernel: conv2d_f32. With n taps a result is within (n + 1) * 2**-23 * (|bias| + |w0 * x0| + ...) of the exact one.
"""

from collections.abc import Sequence

import numpy as np

from kernels import window_fields
from kernels.float_math import clamped
from kernels.floats import ACTIVATION, ITEMSIZE, FloatOperator, activation, require_float
from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import pixel_lead
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature
from kernels.window import Window

CONV2D_F32_PARAMS = ParamsStruct(
    "Conv2dF32Params",
    "A convolution of floats, or a transposed one.",
    (
        *window_fields.CONVOLUTION,
        Field("spread_height", "std::uint16_t", "of a transposed convolution; 1 of others"),
        Field("spread_width", "std::uint16_t", ""),
        *ACTIVATION,
    ),
    (
        Array("weights", "float", "[output_channels][kernel_height][kernel_width][input_channels / groups]"),
        Array("bias", "float", "[output_channels]"),
    ),
)

KERNEL = KernelSignature(
    "conv2d_f32", ("float",), CONV2D_F32_PARAMS.name, False, ("float",), "kernels/conv2d/conv2d_f32.h", rank=4
)


class Conv2dF32(FloatOperator):
    name = "conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._window(call)
        activation(call)
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        return packed(call, self.fields(call))

    def fields(self, call: Call) -> dict[str, int]:
        """All of the params' integers."""
        window = self._window(call)
        return window.fields(call) | window.dilation_fields() | {
            "input_channels": call.inputs[0].shape[3],
            "output_channels": call.outputs[0].shape[3],
            "groups": call.attributes["groups"],
            "spread_height": 1,
            "spread_width": 1,
        }

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        channels = call.inputs[0].shape[3], call.outputs[0].shape[3]
        return ITEMSIZE * pixel_lead(self._window(call), call.inputs[0].shape[0], *channels, reads_pixel_first=False)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        inside = np.ones((1, *call.inputs[0].shape[1:3], 1), bool)
        return [self.convolved(call, inputs[0], inside)]

    def convolved(self, call: Call, x: np.ndarray, real: np.ndarray) -> np.ndarray:
        """The outputs; pixels that are not `real`, bool [1, H, W, 1], are left out as those in the padding are."""
        window = self._window(call)
        sums = _sums(call, window.patches(x, 0), window.patches(real, False))
        return clamped(sums, *activation(call).values())

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * int(np.prod(call.attributes["weight"].shape[1:]))

    def _window(self, call: Call) -> Window:
        """Raises UnsupportedError where dtypes, shapes and attributes do not fit each other."""
        require_float(call)
        weight, bias, groups = (call.attributes[key] for key in ("weight", "bias", "groups"))
        if weight.dtype != np.float32 or weight.ndim != 4 or bias.dtype != np.float32 or bias.shape != weight.shape[:1]:
            raise UnsupportedError("conv2d of float32 needs float32 weights of rank 4 and a bias per output channel")
        window = Window.of(call, weight.shape[1:3])
        source, result = call.inputs[0].shape, call.outputs[0].shape
        if weight.shape[3] * groups != source[3] or weight.shape[0] % groups:
            raise UnsupportedError(f"conv2d: weight {weight.shape} and {groups} groups do not fit {source[3]} channels")
        if (source[0], weight.shape[0]) != (result[0], result[3]):
            raise UnsupportedError(f"conv2d: output shape {result} does not fit weight {weight.shape}")
        window.require_small(call)
        return window


def packed(call: Call, fields: dict[str, int]) -> bytes:
    """The params constant of these integers and the call's bounds, weights and bias."""
    weight, bias = (call.attributes[key].astype("<f4").tobytes() for key in ("weight", "bias"))
    return CONV2D_F32_PARAMS.pack(fields | activation(call), {"weights": weight, "bias": bias})


def _sums(call: Call, patches: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """All outputs at once, tap after tap."""
    weight, groups = call.attributes["weight"], call.attributes["groups"]
    outputs, height, width, depth = weight.shape
    per_group = outputs // groups
    patches = patches.reshape(*patches.shape[:5], groups, 1, depth)
    weights = weight.reshape(groups, per_group, height, width, depth)
    sums = np.broadcast_to(call.attributes["bias"].reshape(groups, per_group), (*patches.shape[:3], groups, per_group))
    with np.errstate(over="ignore", invalid="ignore"):
        for ky, kx, i in np.ndindex(height, width, depth):
            products = patches[:, :, :, ky, kx, :, :, i] * weights[:, :, ky, kx, i]
            sums = np.where(inside[:, :, :, ky, kx, :, None], sums + products, sums)
    return sums.reshape(*patches.shape[:3], outputs)


OPERATOR = Conv2dF32()
