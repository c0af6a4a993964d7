"""linear: a fully connected layer with a factor per output channel, int8; of float32 see linear_f32.py.

Attributes of a call:
    weight             int8 [O, I], symmetric; input is [..., I], output [..., O]
    bias, multiplier, shift, input_zero_point, output_zero_point, activation_min, activation_max   as for conv2d
    beside_pointwise   True where the program has pointwise convolutions too; may be left out

Kernels:
    linear_s8          one row
    conv2d_1x1_s8      several rows: a pointwise convolution by another name; and one or two outputs, if its code is there anyway, as
                       its records of two channels (scalar, DSP) are half as long
    linear_general_s8  for factors and accumulators the others exclude (`Channels.is_narrow`); slow
"""

from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.channels import Channels, finish
from kernels.conv2d.conv2d import POINTWISE_PARAMS, tile_bytes
from kernels.linear import linear_f32
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

_ACTIVATION = (
    Field("unused", "std::int8_t", "0"),
    Field("output_zero_point", "std::int8_t", ""),
    Field("activation_min", "std::int8_t", ""),
    Field("activation_max", "std::int8_t", ""),
)

LINEAR_PARAMS = ParamsStruct(
    "LinearParams",
    "int8 [input_channels] -> int8 [output_channels].",
    (Field("input_channels", "std::uint16_t", ""), Field("output_channels", "std::uint16_t", ""), *_ACTIVATION),
    (Array("channels", "std::uint8_t", "Records of four channels, see linear.py."),),
)

GENERAL_PARAMS = ParamsStruct(
    "LinearGeneralParams",
    "int8 [rows][input_channels] -> int8 [rows][output_channels], any factors.",
    (
        Field("rows", "std::uint32_t", ""),
        Field("input_channels", "std::uint16_t", ""),
        Field("output_channels", "std::uint16_t", ""),
        *_ACTIVATION,
    ),
    (
        Array("weights", "std::int8_t", "[output_channels][input_channels]"),
        Array("bias", "std::int32_t", "[output_channels], the input's zero point folded in"),
        Array("multiplier", "std::int32_t", "[output_channels]"),
        Array("shift", "std::int8_t", "[output_channels], left if positive"),
    ),
)

PARAMS = (LINEAR_PARAMS, GENERAL_PARAMS, linear_f32.LINEAR_F32_PARAMS)


def _signature(name: str, params: ParamsStruct, scratch: bool) -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",), params.name, scratch, ("std::int8_t",), "kernels/linear/linear.h")


KERNELS = (
    _signature("linear_s8", LINEAR_PARAMS, scratch=True),
    _signature("linear_general_s8", GENERAL_PARAMS, scratch=False),
    linear_f32.KERNEL,
)


def four_records(channels: Channels, tier: Tier) -> bytes:
    """Per four channels: bias int32[4], multiplier int32[4], right shift uint8[4] (MVE: int8, negative), weights.

    Weights: scalar uint8[K4][4 channels], 128 more than they are, DSP int8[K4 / 4][4 channels][4], K4 = K rounded up to 4; MVE
    int8[K16 / 16][4 channels][16], K16 = K rounded up to 16. Behind K: 0.
    """
    if tier == "mve":
        return channels.quad_records()
    channels, records = channels.padded(4), bytearray()
    weights = np.pad(channels.weights, ((0, 0), (0, -channels.weights.shape[1] % 4)))
    for first in range(0, len(channels.bias), 4):
        four, block = channels.selected(slice(first, first + 4)), weights[first : first + 4]
        records += four.bias.astype("<i4").tobytes() + four.multiplier.astype("<i4").tobytes()
        records += (-four.shift).astype(np.uint8).tobytes()
        if tier == "scalar":
            records += (np.ascontiguousarray(block.T).view(np.uint8) + np.uint8(128)).tobytes()
        else:
            records += np.ascontiguousarray(block.reshape(4, -1, 4).transpose(1, 0, 2)).tobytes()
    return bytes(records)


class _LinearS8:
    name = "linear"

    def kernel(self, call: Call, tier: Tier) -> str:
        if not self._channels(call).is_narrow:
            return "linear_general_s8"
        in_one_record = call.attributes.get("beside_pointwise") and len(call.attributes["weight"]) <= 2 and tier != "mve"
        return "linear_s8" if self._rows(call) == 1 and not in_one_record else "conv2d_1x1_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        kernel, channels = self.kernel(call, tier), self._channels(call)
        outputs, depth = call.attributes["weight"].shape
        values = {
            "input_channels": depth,
            "output_channels": outputs,
            "unused": 0,
            "output_zero_point": channels.output_zero_point,
            "activation_min": channels.activation_min,
            "activation_max": channels.activation_max,
        }
        if kernel == "linear_s8":
            return LINEAR_PARAMS.pack(values, {"channels": four_records(channels, tier)})
        values["rows"] = self._rows(call)
        if kernel == "conv2d_1x1_s8":
            return POINTWISE_PARAMS.pack(values | {"segment": channels.segment}, {"channels": channels.records(tier)})
        return GENERAL_PARAMS.pack(values, channels.general_arrays())

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        kernel, depth = self.kernel(call, tier), call.attributes["weight"].shape[1]
        if kernel == "linear_general_s8":
            return 0
        if kernel == "conv2d_1x1_s8":
            return tile_bytes(depth, tier)
        step, input_bytes = {"scalar": (4, 1), "dsp": (4, 2), "mve": (16, 1)}[tier]
        return -(-depth // step) * step * input_bytes

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        outputs, depth = call.attributes["weight"].shape
        rows = self._rows(call)
        if self.kernel(call, tier) == "linear_general_s8":  # a row is read until its last output is written
            return max(outputs, rows * outputs - (rows - 1) * depth)
        return max(0, (rows - 1) * (outputs - depth))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        centred = inputs[0].astype(np.float64) - attributes["input_zero_point"]  # float64 is exact here
        products = centred @ attributes["weight"].astype(np.float64).T
        return [finish(products.astype(np.int64) + attributes["bias"], call)]

    def macs(self, call: Call) -> int:
        return self._rows(call) * int(np.prod(call.attributes["weight"].shape))

    def _rows(self, call: Call) -> int:
        return int(np.prod(call.inputs[0].shape[:-1], dtype=np.int64))

    def _channels(self, call: Call) -> Channels:
        weight, (source,), (result,) = call.attributes["weight"], call.inputs, call.outputs
        if weight.ndim != 2 or source.shape[-1:] != weight.shape[1:] or result.shape != source.shape[:-1] + weight.shape[:1]:
            raise UnsupportedError(f"linear: weight {weight.shape} does not fit input {source.shape} and output {result.shape}")
        if source.dtype != "int8" or result.dtype != "int8":
            raise UnsupportedError("linear needs int8 input and output")
        if max(weight.shape) >= 2**15:
            raise UnsupportedError("linear: a size is 32768 or more")
        return Channels.of(call, weight)


OPERATOR = ByDtype(_LinearS8(), linear_f32.OPERATOR)
