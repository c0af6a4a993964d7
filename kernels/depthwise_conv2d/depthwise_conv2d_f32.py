"""depthwise_conv2d of float32, NHWC: conv2d_f32 with a group per input channel.

Attributes of a call:
    weight             float32 [KH, KW, C * depth_multiplier]; output channel o reads input channel o // depth_multiplier
    bias               float32 [C * depth_multiplier]
    depth_multiplier, stride, dilation, padding        as for int8
    activation_min, activation_max                     real numbers, or -infinity and infinity
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from kernels.conv2d import conv2d_f32
from kernels.floats import FloatOperator
from kernels.operator import Call, Tier, UnsupportedError


class DepthwiseConv2dF32(FloatOperator):
    name = "depthwise_conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        return conv2d_f32.OPERATOR.kernel(_grouped(call), tier)

    def pack(self, call: Call, tier: Tier) -> bytes:
        return conv2d_f32.OPERATOR.pack(_grouped(call), tier)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return conv2d_f32.OPERATOR.overlap_lead(_grouped(call), tier, input_index)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return conv2d_f32.OPERATOR.reference(_grouped(call), inputs)

    def macs(self, call: Call) -> int:
        return conv2d_f32.OPERATOR.macs(_grouped(call))


def _grouped(call: Call) -> Call:
    """The convolution that is the same."""
    weight, multiplier = call.attributes["weight"], call.attributes["depth_multiplier"]
    channels = call.inputs[0].shape[-1]
    if weight.ndim != 3 or weight.shape[2] != channels * multiplier:
        raise UnsupportedError(f"depthwise_conv2d: weight {weight.shape} with multiplier {multiplier} does not fit {channels} channels")
    weight = np.ascontiguousarray(weight.transpose(2, 0, 1))[..., None]
    return dataclasses.replace(call, attributes={**call.attributes, "weight": weight, "groups": channels})


OPERATOR = DepthwiseConv2dF32()
