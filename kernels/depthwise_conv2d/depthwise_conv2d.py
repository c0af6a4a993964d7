"""depthwise_conv2d: each output channel is a convolution of one input channel, NHWC, int8; of float32 see depthwise_conv2d_f32.py.

Attributes of a call:
    weight             int8 [KH, KW, C * depth_multiplier]; output channel o reads input channel o // depth_multiplier
    depth_multiplier   outputs per input channel
    bias, multiplier, shift, stride, dilation, padding, input_zero_point, output_zero_point, activation_min,
    activation_max     as for conv2d

Kernels:
    depthwise_conv2d_3x3_s8      multiplier 1, 3x3, stride 1, dilation 1
    depthwise_conv2d_3x3_s2_s8   multiplier 1, 3x3, stride 2, dilation 1
    depthwise_conv2d_s8          multiplier 1, dilation 1
    depthwise_conv2d_dilated_s8  any multiplier and dilation
    depthwise_conv2d_general_s8  for factors and accumulators the others exclude (`Channels.is_narrow`); slow

The first three copy input rows into scratch, with their padding, so that they can work in place (rows.h, four_rows.h).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.channels import Channels, finish
from kernels.depthwise_conv2d import depthwise_conv2d_f32
from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import pixel_lead, row_lead
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature
from kernels.window import Window
from kernels.window_fields import DILATION, channelwise

_GEOMETRY = channelwise("input_channels")

_ACTIVATION = (
    Field("input_zero_point", "std::int8_t", "what padded taps read"),
    Field("output_zero_point", "std::int8_t", ""),
    Field("activation_min", "std::int8_t", ""),
    Field("activation_max", "std::int8_t", ""),
)

DEPTHWISE_PARAMS = ParamsStruct(
    "DepthwiseConv2dParams",
    "A depthwise convolution with multiplier 1 and dilation 1.",
    _GEOMETRY + _ACTIVATION,
    (Array("channels", "std::uint8_t", "Records of one channel (scalar, DSP) or sixteen (MVE), see depthwise_conv2d.py."),),
)

_DILATION = (
    *DILATION,
    Field("depth_multiplier", "std::uint16_t", ""),
    Field("unused", "std::uint16_t", "0"),
)

DILATED_PARAMS = ParamsStruct(
    "DilatedDepthwiseParams",
    "A depthwise convolution with any multiplier and dilation.",
    _GEOMETRY + _DILATION + _ACTIVATION,
    (Array("channels", "std::uint8_t", "Records of one channel (scalar, DSP) or sixteen (MVE), see depthwise_conv2d.py."),),
)

GENERAL_PARAMS = ParamsStruct(
    "DepthwiseConv2dGeneralParams",
    "A depthwise convolution with any multiplier, dilation and factors.",
    _GEOMETRY + _DILATION + _ACTIVATION,
    (
        Array("weights", "std::int8_t", "[output_channels][kernel_height][kernel_width]"),
        Array("bias", "std::int32_t", "[output_channels], the input's zero point folded in"),
        Array("multiplier", "std::int32_t", "[output_channels]"),
        Array("shift", "std::int8_t", "[output_channels], left if positive"),
    ),
)

PARAMS = (DEPTHWISE_PARAMS, DILATED_PARAMS, GENERAL_PARAMS)


def _signature(name: str, params: ParamsStruct, scratch: bool) -> KernelSignature:
    header = "kernels/depthwise_conv2d/depthwise_conv2d.h"
    return KernelSignature(name, ("std::int8_t",), params.name, scratch, ("std::int8_t",), header, rank=4)


KERNELS = (
    _signature("depthwise_conv2d_3x3_s8", DEPTHWISE_PARAMS, scratch=True),
    _signature("depthwise_conv2d_3x3_s2_s8", DEPTHWISE_PARAMS, scratch=True),
    _signature("depthwise_conv2d_s8", DEPTHWISE_PARAMS, scratch=True),
    _signature("depthwise_conv2d_dilated_s8", DILATED_PARAMS, scratch=False),
    _signature("depthwise_conv2d_general_s8", GENERAL_PARAMS, scratch=False),
)

_WITHOUT_SCRATCH = ("depthwise_conv2d_dilated_s8", "depthwise_conv2d_general_s8")

# Multiplying the even lanes of int8 vectors, then widening the even (odd) lanes of the products, leaves every fourth channel.
_LANES = np.array([[0, 4, 8, 12], [2, 6, 10, 14], [1, 5, 9, 13], [3, 7, 11, 15]])


def single_records(channels: Channels) -> bytes:
    """For depthwise_conv2d_s8 on scalar and DSP cores, per channel: bias int32, multiplier int32, right shift uint8, weights
    int8[KH * KW], zeros up to a multiple of 4 bytes."""
    records = bytearray()
    for channel in range(len(channels.bias)):
        one = channels.selected(slice(channel, channel + 1))
        records += one.bias.astype("<i4").tobytes() + one.multiplier.astype("<i4").tobytes()
        records += (-one.shift).astype(np.uint8).tobytes() + one.weights.tobytes()
        records += bytes(-len(records) % 4)
    return bytes(records)


def records_3x3(channels: Channels) -> bytes:
    """For the 3x3 kernel of stride 1 on scalar and DSP cores, per channel: twice the bias int32, multiplier int32, int8[2][4], of
    which DSP cores take every other one at once, and int8[4]:

        left's top       left's middle     left's bottom     centre's middle
        centre's top     right's middle    centre's bottom   right shift - 1
        right's top      right's bottom    0                 0
    """
    return b"".join(record + corners + bytes(2) for record, corners in _parts_3x3(channels))


def records_3x3_s2(channels: Channels) -> bytes:
    """For the 3x3 kernel of stride 2 on scalar and DSP cores: the same without the last row, which stands behind the last channel
    for all of them, without the zeros. To find it there takes an instruction or two a channel and row, here one in hundreds."""
    records, corners = zip(*_parts_3x3(channels))
    return b"".join(records + corners)


def _parts_3x3(channels: Channels) -> Iterator[tuple[bytes, bytes]]:
    for channel in range(len(channels.bias)):
        one = channels.selected(slice(channel, channel + 1))
        top, middle, bottom = one.weights.reshape(3, 3)
        weights = [top[0], middle[0], bottom[0], middle[1], top[1], middle[2], bottom[1], -one.shift[0] - 1]
        constants = (2 * one.bias).astype("<i4").tobytes() + one.multiplier.astype("<i4").tobytes()
        yield constants + np.array(weights, np.int8).tobytes(), np.array([top[2], bottom[2]], np.int8).tobytes()


def sixteen_records(channels: Channels) -> bytes:
    """For MVE kernels, per sixteen channels: bias int32[4][4], multiplier int32[4][4], shift int8[4][4] (negative), each
    with channels 0 4 8 12, 2 6 10 14, 1 5 9 13, 3 7 11 15; weights int8[KH * KW][16] in order of channels."""
    channels, records = channels.padded(16), bytearray()
    for first in range(0, len(channels.bias), 16):
        block = channels.selected(slice(first, first + 16))
        records += block.bias[_LANES].astype("<i4").tobytes() + block.multiplier[_LANES].astype("<i4").tobytes()
        records += block.shift[_LANES].astype(np.int8).tobytes() + np.ascontiguousarray(block.weights.T).tobytes()
    return bytes(records)


class _DepthwiseConv2dS8:
    name = "depthwise_conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        channels, window = self._channels(call), self._window(call)
        if not channels.is_narrow:
            return "depthwise_conv2d_general_s8"
        if call.attributes["depth_multiplier"] != 1 or window.dilation != (1, 1):
            return "depthwise_conv2d_dilated_s8"
        of_3x3 = {(1, 1): "depthwise_conv2d_3x3_s8", (2, 2): "depthwise_conv2d_3x3_s2_s8"}
        return of_3x3.get(window.stride, "depthwise_conv2d_s8") if window.kernel == (3, 3) else "depthwise_conv2d_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        channels, window, attributes = self._channels(call), self._window(call), call.attributes
        values = window.fields(call) | {
            "input_channels": call.inputs[0].shape[3],
            "input_zero_point": attributes["input_zero_point"],
            "output_zero_point": channels.output_zero_point,
            "activation_min": channels.activation_min,
            "activation_max": channels.activation_max,
        }
        kernel = self.kernel(call, tier)
        packed = {"depthwise_conv2d_3x3_s8": records_3x3, "depthwise_conv2d_3x3_s2_s8": records_3x3_s2}.get(kernel, single_records)
        records = {"channels": (sixteen_records if tier == "mve" else packed)(channels)}
        if "3x3" in kernel or kernel == "depthwise_conv2d_s8":
            return DEPTHWISE_PARAMS.pack(values, records)
        values |= window.dilation_fields() | {
            "depth_multiplier": attributes["depth_multiplier"],
            "unused": 0,
        }
        if kernel == "depthwise_conv2d_dilated_s8":
            return DILATED_PARAMS.pack(values, records)
        return GENERAL_PARAMS.pack(values, channels.general_arrays())

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        kernel, window = self.kernel(call, tier), self._window(call)
        if kernel in _WITHOUT_SCRATCH:
            return 0
        rows = window.kernel[0] if tier == "mve" or kernel == "depthwise_conv2d_s8" else 4
        width = (window.output_size[1] - 1) * window.stride[1] + window.kernel[1]
        channels = call.inputs[0].shape[3]
        stored_channels = -(-channels // 16) * 16 if tier == "mve" else channels
        return rows * width * stored_channels

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        window, batches = self._window(call), call.inputs[0].shape[0]
        sizes = call.inputs[0].shape[3], call.outputs[0].shape[3]
        if self.kernel(call, tier) in _WITHOUT_SCRATCH:
            return pixel_lead(window, batches, *sizes, reads_pixel_first=False)
        return row_lead(window, batches, *sizes)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, zero_point = call.attributes, call.attributes["input_zero_point"]
        patches = self._window(call).patches(inputs[0], zero_point).astype(np.int64) - zero_point
        patches = np.repeat(patches, attributes["depth_multiplier"], axis=-1)
        products = np.einsum("nyxijc,ijc->nyxc", patches, attributes["weight"].astype(np.int64))
        return [finish(products + attributes["bias"], call)]

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * int(np.prod(call.attributes["weight"].shape[:2]))

    def _window(self, call: Call) -> Window:
        return Window.of(call, call.attributes["weight"].shape[:2])

    def _channels(self, call: Call) -> Channels:
        weight, multiplier = call.attributes["weight"], call.attributes["depth_multiplier"]
        window = self._window(call)
        if (
            weight.ndim != 3
            or weight.shape[2] != call.inputs[0].shape[3] * multiplier
            or weight.shape[2] != call.outputs[0].shape[3]
        ):
            raise UnsupportedError(
                f"depthwise_conv2d: weight {weight.shape} with multiplier {multiplier} does not fit its tensors"
            )
        if call.inputs[0].shape[0] != call.outputs[0].shape[0]:
            raise UnsupportedError("depthwise_conv2d: input and output batches differ")
        if any(tensor.dtype != "int8" for tensor in (call.inputs[0], call.outputs[0])):
            raise UnsupportedError("depthwise_conv2d needs int8 input and output")
        window.require_small(call)
        return Channels.of(call, np.ascontiguousarray(weight.reshape(-1, weight.shape[2]).T))


OPERATOR = ByDtype(_DepthwiseConv2dS8(), depthwise_conv2d_f32.OPERATOR)
