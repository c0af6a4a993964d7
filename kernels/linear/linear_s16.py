"""linear of int8 whose result is int16, in finer steps than int8 has: regression's last layer.

Attributes of a call: those of linear.py; output_zero_point, activation_min and activation_max are int16.

Kernel: linear_s16, any number of rows, any factors
"""

from kernels.linear.dense import Dense, four_records, row_bytes
from kernels.operator import Call, Tier
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

LINEAR_S16_PARAMS = ParamsStruct(
    "LinearS16Params",
    "int8 [rows][input_channels] -> int16 [rows][output_channels].",
    (
        Field("rows", "std::uint32_t", ""),
        Field("input_channels", "std::uint16_t", ""),
        Field("output_channels", "std::uint16_t", ""),
        Field("output_zero_point", "std::int16_t", ""),
        Field("activation_min", "std::int16_t", ""),
        Field("activation_max", "std::int16_t", ""),
        Field("unused", "std::int16_t", "0"),
    ),
    (Array("channels", "std::uint8_t", "Records of four channels, see dense.py; shifts may be left ones."),),
)

KERNEL = KernelSignature("linear_s16", ("std::int8_t",), LINEAR_S16_PARAMS.name, True, ("std::int16_t",), "kernels/linear/linear_s16.h")


class _LinearS16(Dense):
    result = "int16"

    def kernel(self, call: Call, tier: Tier) -> str:
        self.channels(call)
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        channels = self.channels(call)
        outputs, depth = call.attributes["weight"].shape
        values = {
            "rows": self.rows(call),
            "input_channels": depth,
            "output_channels": outputs,
            "output_zero_point": channels.output_zero_point,
            "activation_min": channels.activation_min,
            "activation_max": channels.activation_max,
            "unused": 0,
        }
        return LINEAR_S16_PARAMS.pack(values, {"channels": four_records(channels, tier)})

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return row_bytes(call.attributes["weight"].shape[1], tier)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        outputs, depth = call.attributes["weight"].shape
        return max(0, (self.rows(call) - 1) * (2 * outputs - depth))


OPERATOR = _LinearS16()
