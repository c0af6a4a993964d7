"""quantize (float32 -> int8) and dequantize (int8 -> float32), one scale and zero point per tensor.

    quantize:    q = x * float32(1 / scale), rounded to float32, then to an integer (half to even), + zero point, clamped to
                 int8; not a number gives the zero point
    dequantize:  x = float32(q - zero point) * float32(scale), rounded to float32

Attributes of a call: scale (2**-60 to 2**60), zero_point

Kernels: quantize_s8, dequantize_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature

QUANTIZE_PARAMS = ParamsStruct(
    "QuantizeParams",
    "float [count] -> int8 [count].",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("inverse_scale", "float", ""),
        Field("zero_point", "std::int32_t", ""),
    ),
)

DEQUANTIZE_PARAMS = ParamsStruct(
    "DequantizeParams",
    "int8 [count] -> float [count].",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("scale", "float", ""),
        Field("zero_point", "std::int32_t", ""),
    ),
)

PARAMS = (QUANTIZE_PARAMS, DEQUANTIZE_PARAMS)

KERNELS = (
    KernelSignature("quantize_s8", ("float",), QUANTIZE_PARAMS.name, False, ("std::int8_t",), "kernels/quantize/quantize.h"),
    KernelSignature(
        "dequantize_s8", ("std::int8_t",), DEQUANTIZE_PARAMS.name, False, ("float",), "kernels/quantize/quantize.h"
    ),
)


class _Conversion:
    name: str
    dtypes: tuple[str, str]

    def kernel(self, call: Call, tier: Tier) -> str:
        source, result = call.inputs[0], call.outputs[0]
        if (source.dtype, result.dtype) != self.dtypes or source.shape != result.shape:
            raise UnsupportedError(f"{self.name} needs {self.dtypes[0]} input and {self.dtypes[1]} output of one shape")
        if not 2.0**-60 <= call.attributes["scale"] <= 2.0**60:
            raise UnsupportedError(f"{self.name}: scale {call.attributes['scale']} is not between 2^-60 and 2^60")
        if not -128 <= call.attributes["zero_point"] <= 127:
            raise UnsupportedError(f"{self.name}: the zero point is outside int8")
        return f"{self.name}_s8"

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def macs(self, call: Call) -> int:
        return 0


class Quantize(_Conversion):
    name = "quantize"
    dtypes = ("float32", "int8")

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        inverse = float(np.float32(1 / call.attributes["scale"]))
        values = {"count": call.outputs[0].nbytes, "inverse_scale": inverse, "zero_point": call.attributes["zero_point"]}
        return QUANTIZE_PARAMS.pack(values)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.rint(inputs[0].astype(np.float32) * np.float32(1 / call.attributes["scale"]))
        steps = np.clip(np.nan_to_num(scaled, nan=0.0), -256, 256).astype(np.int64)
        return [np.clip(steps + call.attributes["zero_point"], -128, 127).astype(np.int8)]


class Dequantize(_Conversion):
    name = "dequantize"
    dtypes = ("int8", "float32")

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        scale = float(np.float32(call.attributes["scale"]))
        values = {"count": call.inputs[0].nbytes, "scale": scale, "zero_point": call.attributes["zero_point"]}
        return DEQUANTIZE_PARAMS.pack(values)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 3 * max(call.inputs[0].nbytes - 1, 0)  # an element grows from one byte to four

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        steps = inputs[0].astype(np.int32) - np.int32(call.attributes["zero_point"])
        return [steps.astype(np.float32) * np.float32(call.attributes["scale"])]


OPERATORS = (Quantize(), Dequantize())
