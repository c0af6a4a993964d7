"""transposed_conv2d of float32, NHWC: conv2d_f32 over an input whose pixels are spread apart; only taps that meet a pixel count.

Attributes of a call:
    weight             float32 [O, KH, KW, I / groups]
    bias               float32 [O]
    spread, padding, dilation, groups   as for int8
    activation_min, activation_max      real numbers, or -infinity and infinity

Kernel: transposed_conv2d_f32, with the params of conv2d_f32.
"""

from collections.abc import Sequence

import numpy as np

from kernels.conv2d import conv2d_f32
from kernels.floats import ITEMSIZE, FloatOperator
from kernels.operator import Call, Tier, UnsupportedError
from kernels.signature import KernelSignature
from kernels.transposed_conv2d.spread import convolution_over_spread, row_lead, spread_apart

KERNEL = KernelSignature(
    "transposed_conv2d_f32",
    ("float",),
    conv2d_f32.CONV2D_F32_PARAMS.name,
    False,
    ("float",),
    "kernels/transposed_conv2d/transposed_conv2d_f32.h",
    rank=4,
)


class TransposedConv2dF32(FloatOperator):
    name = "transposed_conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        conv2d_f32.OPERATOR.kernel(convolution_over_spread(call), tier)
        if max(*map(abs, call.attributes["padding"]), *call.attributes["spread"]) >= 2**15:
            raise UnsupportedError("transposed_conv2d: padding or spread of 32768 or more")
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        (rows, columns), (top, left, _, _) = call.attributes["spread"], call.attributes["padding"]
        spread = {"spread_height": rows, "spread_width": columns, "pad_top": top, "pad_left": left}
        size = {"input_height": call.inputs[0].shape[1], "input_width": call.inputs[0].shape[2]}
        return conv2d_f32.packed(call, conv2d_f32.OPERATOR.fields(convolution_over_spread(call)) | spread | size)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return ITEMSIZE * row_lead(call)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        real = spread_apart(call, np.ones((1, *call.inputs[0].shape[1:3], 1), bool), False)
        return [conv2d_f32.OPERATOR.convolved(convolution_over_spread(call), spread_apart(call, inputs[0], 0), real)]

    def macs(self, call: Call) -> int:
        """Of the taps that meet a pixel."""
        meets = spread_apart(call, np.ones((1, *call.inputs[0].shape[1:3], 1), bool), False)[0, :, :, 0]
        kernel, dilation = call.attributes["weight"].shape[1:3], call.attributes["dilation"]
        met = [
            sum(line[tap * step : tap * step + outputs].sum() for tap in range(taps))
            for line, taps, step, outputs in zip((meets.any(1), meets.any(0)), kernel, dilation, call.outputs[0].shape[1:3])
        ]
        batches, _, _, channels = call.outputs[0].shape
        return int(batches * met[0] * met[1] * channels * call.attributes["weight"].shape[3])


OPERATOR = TransposedConv2dF32()
