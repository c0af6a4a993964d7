"""conv2d: two-dimensional convolution, NHWC, int8; of float32 see conv2d_f32.py.

Attributes of a call:
    weight             int8 [O, KH, KW, I / groups], symmetric
    bias               int32 [O], scale = input scale * weight scale of the channel
    multiplier, shift  int32 [O], see kernels/requantise.py
    stride, dilation   (height, width)
    padding            (top, left, bottom, right); padded taps read the input's zero point
    groups             divides I and O
    input_zero_point, output_zero_point, activation_min, activation_max

Kernels:
    conv2d_1x1_s8      output pixel n reads input pixel n
    conv2d_3x3_s8      3x3 taps, one pixel apart, from whole sixteens of channels to whole fours; differs from conv2d_s8 on MVE only
    conv2d_s8          everything else
    conv2d_general_s8  for factors and accumulators the others exclude (`Channels.is_narrow`); slow
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from kernels import window_fields
from kernels.by_dtype import ByDtype
from kernels.channels import Channels, finish
from kernels.conv2d import conv2d_f32
from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import pixel_lead
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature
from kernels.window import Window

_RECORDS = Array("channels", "std::uint8_t", "Records of channel pairs (scalar, DSP) or quads (MVE), see kernels/channels.py.")

_SEGMENT = Field("segment", "std::uint32_t", "taps that scalar and DSP kernels may add up in 23 bits")

_ACTIVATION = (
    Field("output_zero_point", "std::int8_t", ""),
    Field("activation_min", "std::int8_t", ""),
    Field("activation_max", "std::int8_t", ""),
)

POINTWISE_PARAMS = ParamsStruct(
    "PointwiseParams",
    "A matrix product: int8 [rows][input_channels] -> int8 [rows][output_channels].",
    (
        Field("rows", "std::uint32_t", "pixels, over all batches"),
        Field("input_channels", "std::uint16_t", ""),
        Field("output_channels", "std::uint16_t", ""),
        _SEGMENT,
        Field("unused", "std::int8_t", "0"),
        *_ACTIVATION,
    ),
    (_RECORDS,),
)

_GEOMETRY = (
    *window_fields.CONVOLUTION,
    Field("input_zero_point", "std::int8_t", "what padded taps read"),
    *_ACTIVATION,
)

CONV2D_PARAMS = ParamsStruct(
    "Conv2dParams",
    "A convolution; its records are those of the first group's channels, then the second's, ...",
    (*_GEOMETRY, _SEGMENT),
    (_RECORDS,),
)

GENERAL_PARAMS = ParamsStruct(
    "Conv2dGeneralParams",
    "A convolution with any factors, or a transposed one.",
    (
        *_GEOMETRY,
        Field("spread_height", "std::uint16_t", "1; of a transposed convolution see transposed_conv2d.py"),
        Field("spread_width", "std::uint16_t", ""),
    ),
    (
        Array("weights", "std::int8_t", "[output_channels][kernel_height][kernel_width][input_channels / groups]"),
        Array("bias", "std::int32_t", "[output_channels], the input's zero point folded in"),
        Array("multiplier", "std::int32_t", "[output_channels]"),
        Array("shift", "std::int8_t", "[output_channels], left if positive"),
    ),
)

PARAMS = (POINTWISE_PARAMS, CONV2D_PARAMS, GENERAL_PARAMS, conv2d_f32.CONV2D_F32_PARAMS)


def _signature(name: str, params: ParamsStruct, scratch: bool, rank: int | None = 4) -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",), params.name, scratch, ("std::int8_t",), "kernels/conv2d/conv2d.h", rank)


KERNELS = (
    _signature("conv2d_1x1_s8", POINTWISE_PARAMS, scratch=True, rank=None),  # also of rows of features
    _signature("conv2d_3x3_s8", CONV2D_PARAMS, scratch=True),
    _signature("conv2d_s8", CONV2D_PARAMS, scratch=True),
    _signature("conv2d_general_s8", GENERAL_PARAMS, scratch=False),
    conv2d_f32.KERNEL,
)


def tile_bytes(depth: int, tier: Tier) -> int:
    """Working memory of the tile (tile.h) behind conv2d_1x1_s8 and conv2d_s8, for outputs that read `depth` inputs.

    This is tile_bytes of tile.h: MVE copies four pixels and has room for one more, DSP spreads four pixels over two words per input, scalar over four.
    """
    step, input_bytes = {"scalar": (4, 16), "dsp": (4, 8), "mve": (16, 5)}[tier]
    return -(-depth // step) * step * input_bytes


def _by_sixteens(weights: np.ndarray) -> np.ndarray:
    """[O, 3 rows * 3 columns * C] in the order in which conv2d_3x3_s8 takes them on MVE: row, sixteen channels, column, channel."""
    return weights.reshape(len(weights), 3, 3, -1, 16).transpose(0, 1, 3, 2, 4).reshape(len(weights), -1)


class _Conv2dS8:
    name = "conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        channels = self.channels(call)
        if not channels.is_narrow:
            return "conv2d_general_s8"
        window = self._window(call)
        pointwise = window.is_pointwise and call.attributes["groups"] == 1
        return "conv2d_1x1_s8" if pointwise else "conv2d_3x3_s8" if self._is_3x3(call) else "conv2d_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        kernel, channels = self.kernel(call, tier), self.channels(call)
        batches, _, _, output_channels = call.outputs[0].shape
        activation = {
            "output_zero_point": channels.output_zero_point,
            "activation_min": channels.activation_min,
            "activation_max": channels.activation_max,
        }
        if kernel == "conv2d_1x1_s8":
            window = self._window(call)
            shape = {
                "rows": batches * window.output_size[0] * window.output_size[1],
                "input_channels": call.inputs[0].shape[3],
                "output_channels": output_channels,
                "segment": channels.segment,
                "unused": 0,
            }
            return POINTWISE_PARAMS.pack(shape | activation, {"channels": channels.records(tier)})
        geometry = self._geometry(call) | activation
        if kernel in ("conv2d_3x3_s8", "conv2d_s8"):
            if kernel == "conv2d_3x3_s8" and tier == "mve":
                channels = dataclasses.replace(channels, weights=_by_sixteens(channels.weights))
            per_group = output_channels // call.attributes["groups"]
            groups = (channels.selected(slice(o, o + per_group)) for o in range(0, output_channels, per_group))
            return CONV2D_PARAMS.pack(
                geometry | {"segment": channels.segment}, {"channels": b"".join(group.records(tier) for group in groups)}
            )
        return GENERAL_PARAMS.pack(geometry | {"spread_height": 1, "spread_width": 1}, channels.general_arrays())

    def _is_3x3(self, call: Call) -> bool:
        """Whether conv2d_3x3_s8 serves the call: the same as `is_3x3` of conv2d_3x3_s8.cc."""
        attributes, outputs = call.attributes, call.outputs[0].shape[3]
        return (
            attributes["weight"].shape[1:3] == (3, 3)
            and tuple(attributes["stride"]) == tuple(attributes["dilation"]) == (1, 1)
            and attributes["groups"] == 1
            and call.inputs[0].shape[3] % 16 == 0
            and outputs % 4 == 0
            and outputs < 2**14
        )

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        if self.kernel(call, tier) == "conv2d_general_s8":
            return 0
        return tile_bytes(int(np.prod(call.attributes["weight"].shape[1:])), tier)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        batches, _, _, input_channels = call.inputs[0].shape
        copies = self.kernel(call, tier) != "conv2d_general_s8"
        if copies and call.attributes["groups"] > 1:
            return None  # a block of pixels gets its first group's outputs before its second group's inputs are read
        return pixel_lead(self._window(call), batches, input_channels, call.outputs[0].shape[3], reads_pixel_first=copies)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, groups = call.attributes, call.attributes["groups"]
        weight, zero_point = attributes["weight"].astype(np.float64), attributes["input_zero_point"]
        outputs, _, _, depth = weight.shape
        patches = self._window(call).patches(inputs[0], zero_point).astype(np.float64) - zero_point
        per_group = outputs // groups
        products = [  # float64 holds these integers exactly and multiplies matrices fast
            np.tensordot(
                patches[..., g * depth : (g + 1) * depth], weight[g * per_group : (g + 1) * per_group], ((3, 4, 5), (1, 2, 3))
            )
            for g in range(groups)
        ]
        return [finish(np.concatenate(products, axis=-1).astype(np.int64) + attributes["bias"], call)]

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * int(np.prod(call.attributes["weight"].shape[1:]))

    def _window(self, call: Call) -> Window:
        return Window.of(call, call.attributes["weight"].shape[1:3])

    def channels(self, call: Call) -> Channels:
        """The constants of all output channels, [O, KH * KW * I / groups]. Raises UnsupportedError where sizes or types do not fit."""
        weight, groups = call.attributes["weight"], call.attributes["groups"]
        window = self._window(call)
        if weight.ndim != 4 or weight.shape[3] * groups != call.inputs[0].shape[3] or weight.shape[0] % groups:
            raise UnsupportedError(
                f"conv2d: weight {weight.shape} and {groups} groups do not fit {call.inputs[0].shape[3]} channels"
            )
        if weight.shape[0] != call.outputs[0].shape[3] or call.inputs[0].shape[0] != call.outputs[0].shape[0]:
            raise UnsupportedError(f"conv2d: output shape {call.outputs[0].shape} does not fit weight {weight.shape}")
        if any(tensor.dtype != "int8" for tensor in (call.inputs[0], call.outputs[0])):
            raise UnsupportedError("conv2d needs int8 input and output")
        window.require_small(call)
        return Channels.of(call, weight.reshape(weight.shape[0], -1))

    def _geometry(self, call: Call) -> dict[str, int]:
        window, attributes = self._window(call), call.attributes
        return window.fields(call) | window.dilation_fields() | {
            "input_channels": call.inputs[0].shape[3],
            "output_channels": call.outputs[0].shape[3],
            "groups": attributes["groups"],
            "input_zero_point": attributes["input_zero_point"],
        }


OPERATOR = ByDtype(_Conv2dS8(), conv2d_f32.OPERATOR)
