"""requantize: an integer tensor with another scale, zero point or dtype; one of each tensor at least is int16 (of int8 alone it is a table).

    y = requantise((x - input zero point) * 2**14, multiplier, -right_shift) + output zero point, clamped to the output's integers

with requantise of kernels/requantise.py: 14 bits more than an input has leave the first of its two roundings
little say: 2**-(right_shift + 1) of an output's step.

Attributes of a call: requantize_attributes, input_zero_point, output_zero_point

Kernels: requantize_s16_s8 (int16 -> int8), requantize_s8_s16, requantize_s16_s16
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import quantise_multiplier, requantise
from kernels.signature import KernelSignature

FRACTION_BITS = 14
LARGEST_SHIFT = 23

REQUANTIZE_PARAMS = ParamsStruct(
    "RequantizeParams",
    "int8 or int16 [count] -> int8 or int16 [count].",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("multiplier", "std::int32_t", "0 to 2^31 - 1"),
        Field("right_shift", "std::int32_t", "1 to 23"),
        Field("input_zero_point", "std::int32_t", ""),
        Field("output_zero_point", "std::int32_t", ""),
    ),
)

KERNELS = tuple(
    KernelSignature(
        f"requantize_s{source}_s{result}",
        (f"std::int{source}_t",),
        REQUANTIZE_PARAMS.name,
        False,
        (f"std::int{result}_t",),
        "kernels/quantize/requantize.h",
    )
    for source, result in ((16, 8), (8, 16), (16, 16))
)


def requantize_attributes(input_scale: float, output_scale: float) -> dict[str, int]:
    """multiplier and right_shift of the factor between the scales. Raises UnsupportedError if it is 2**13 or more."""
    factor = input_scale / output_scale
    if not math.isfinite(factor) or factor >= 2.0 ** (FRACTION_BITS - 1):
        raise UnsupportedError(f"requantize: scale {input_scale:g} is more than 8192 times scale {output_scale:g}")
    multiplier, shift = quantise_multiplier(factor / 2**FRACTION_BITS)
    lost = max(0, -shift - LARGEST_SHIFT)  # bits of tiny factors, whose results have few
    return {"multiplier": round(multiplier / 2.0**lost), "right_shift": min(-shift, LARGEST_SHIFT) if multiplier else 1}


class Requantize:
    name = "requantize"

    def kernel(self, call: Call, tier: Tier) -> str:
        (source,), (result,) = call.inputs, call.outputs
        dtypes = {source.dtype, result.dtype}
        if not dtypes <= {"int8", "int16"} or dtypes == {"int8"} or source.shape != result.shape:
            raise UnsupportedError("requantize is between int16 and int8 or int16 of one shape")
        attributes, sides = call.attributes, (("input", source), ("output", result))
        for side, tensor in sides:
            info = np.iinfo(tensor.dtype)
            if not info.min <= attributes[f"{side}_zero_point"] <= info.max:
                raise UnsupportedError(f"requantize: the {side}'s zero point is outside {tensor.dtype}")
        if not (0 <= attributes["multiplier"] < 2**31 and 1 <= attributes["right_shift"] <= LARGEST_SHIFT):
            raise UnsupportedError("requantize: its factor is out of range")
        return "requantize_" + "_".join(f"s{np.iinfo(tensor.dtype).bits}" for _, tensor in sides)

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        keys = ("multiplier", "right_shift", "input_zero_point", "output_zero_point")
        count = int(np.prod(call.inputs[0].shape, dtype=np.int64))
        return REQUANTIZE_PARAMS.pack({"count": count} | {key: call.attributes[key] for key in keys})

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return max(0, call.outputs[0].nbytes - call.inputs[0].nbytes - 1)  # of int8 -> int16, count - 1

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, dtype = call.attributes, call.outputs[0].dtype
        accumulator = (inputs[0].astype(np.int64) - attributes["input_zero_point"]) << FRACTION_BITS
        scaled = requantise(accumulator, attributes["multiplier"], -attributes["right_shift"]) + attributes["output_zero_point"]
        info = np.iinfo(dtype)
        return [np.clip(scaled, info.min, info.max).astype(dtype)]

    def macs(self, call: Call) -> int:
        return 0


OPERATOR = Requantize()
