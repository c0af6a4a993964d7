"""linear: a fully connected layer with a factor per output channel, int8; of float32 see linear_f32.py, with a result
of int16 linear_s16.py.

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

from kernels.by_dtype import ByDtype
from kernels.conv2d.conv2d import POINTWISE_PARAMS, tile_bytes
from kernels.linear import linear_f32, linear_s16
from kernels.linear.dense import Dense, four_records, row_bytes
from kernels.operator import Call, Tier
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
    (Array("channels", "std::uint8_t", "Records of four channels, see dense.py."),),
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

PARAMS = (LINEAR_PARAMS, GENERAL_PARAMS, linear_s16.LINEAR_S16_PARAMS, linear_f32.LINEAR_F32_PARAMS)


_CHUNK = 112  # inputs that linear_s8 prepares at once where sums then take less memory than inputs, see linear_s8.cc
_SEGMENT = 508  # or where there are more inputs than this, kDotSegment of dot_dsp.h


def _signature(name: str, params: ParamsStruct, scratch: bool) -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",), params.name, scratch, ("std::int8_t",), "kernels/linear/linear.h")


KERNELS = (
    _signature("linear_s8", LINEAR_PARAMS, scratch=True),
    _signature("linear_general_s8", GENERAL_PARAMS, scratch=False),
    linear_s16.KERNEL,
    linear_f32.KERNEL,
)


class _LinearS8(Dense):
    def kernel(self, call: Call, tier: Tier) -> str:
        if not self.channels(call).is_narrow:
            return "linear_general_s8"
        in_one_record = call.attributes.get("beside_pointwise") and len(call.attributes["weight"]) <= 2 and tier != "mve"
        return "linear_s8" if self.rows(call) == 1 and not in_one_record else "conv2d_1x1_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        kernel, channels = self.kernel(call, tier), self.channels(call)
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
        values["rows"] = self.rows(call)
        if kernel == "conv2d_1x1_s8":
            return POINTWISE_PARAMS.pack(values | {"segment": channels.segment}, {"channels": channels.records(tier)})
        return GENERAL_PARAMS.pack(values, channels.general_arrays())

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        kernel, depth = self.kernel(call, tier), call.attributes["weight"].shape[1]
        if kernel == "linear_general_s8":
            return 0
        if kernel == "conv2d_1x1_s8":
            return tile_bytes(depth, tier)
        row = row_bytes(depth, tier)
        if tier != "dsp" or depth <= _CHUNK:
            return row
        chunk_and_sums = row_bytes(_CHUNK, tier) + 16 * -(-len(call.attributes["weight"]) // 4)
        return chunk_and_sums if depth > _SEGMENT else min(row, chunk_and_sums)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        outputs, depth = call.attributes["weight"].shape
        rows = self.rows(call)
        if self.kernel(call, tier) == "linear_general_s8":  # a row is read until its last output is written
            return max(outputs, rows * outputs - (rows - 1) * depth)
        return max(0, (rows - 1) * (outputs - depth))


OPERATOR = ByDtype(_LinearS8(), linear_f32.OPERATOR, int16_result=linear_s16.OPERATOR)
