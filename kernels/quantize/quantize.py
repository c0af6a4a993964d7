"""quantize (float32 -> int8 or int16) and dequantize (back to float32), one scale and zero point per tensor; between integers see
requantize.py.

    quantize:    q = x * float32(1 / scale), rounded to float32, then to an integer (half to even), + zero point, clamped to
                 the integer's range; not a number gives the zero point
    dequantize:  x = float32(q - zero point) * float32(scale), rounded to float32

Attributes of a call: scale (2**-60 to 2**60), zero_point

Kernels: quantize_s8, quantize_s16, dequantize_s8, dequantize_s16
"""

from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, TensorType, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.quantize import requantize
from kernels.signature import KernelSignature

QUANTIZE_PARAMS = ParamsStruct(
    "QuantizeParams",
    "float [count] -> int8 or int16 [count].",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("inverse_scale", "float", ""),
        Field("zero_point", "std::int32_t", ""),
    ),
)

DEQUANTIZE_PARAMS = ParamsStruct(
    "DequantizeParams",
    "int8 or int16 [count] -> float [count].",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("scale", "float", ""),
        Field("zero_point", "std::int32_t", ""),
    ),
)

PARAMS = (QUANTIZE_PARAMS, DEQUANTIZE_PARAMS, requantize.REQUANTIZE_PARAMS)

_CONVERSIONS = tuple(
    KernelSignature(f"{name}_s{bits}", source, params.name, False, result, "kernels/quantize/quantize.h")
    for bits in (8, 16)
    for name, params, source, result in (
        ("quantize", QUANTIZE_PARAMS, ("float",), (f"std::int{bits}_t",)),
        ("dequantize", DEQUANTIZE_PARAMS, (f"std::int{bits}_t",), ("float",)),
    )
)

KERNELS = _CONVERSIONS + requantize.KERNELS


class _Conversion:
    name: str

    def real_and_integer(self, call: Call) -> tuple[TensorType, TensorType]:
        raise NotImplementedError

    def kernel(self, call: Call, tier: Tier) -> str:
        real, integer = self.real_and_integer(call)
        if real.dtype != "float32" or integer.dtype not in ("int8", "int16") or real.shape != integer.shape:
            raise UnsupportedError(f"{self.name} is between float32 and int8 or int16 of one shape")
        info = np.iinfo(integer.dtype)
        if not 2.0**-60 <= call.attributes["scale"] <= 2.0**60:
            raise UnsupportedError(f"{self.name}: scale {call.attributes['scale']} is not between 2^-60 and 2^60")
        if not info.min <= call.attributes["zero_point"] <= info.max:
            raise UnsupportedError(f"{self.name}: the zero point is outside {integer.dtype}")
        return f"{self.name}_s{info.bits}"

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def macs(self, call: Call) -> int:
        return 0


class Quantize(_Conversion):
    name = "quantize"

    def real_and_integer(self, call: Call) -> tuple[TensorType, TensorType]:
        return call.inputs[0], call.outputs[0]

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        inverse = float(np.float32(1 / call.attributes["scale"]))
        values = {"count": call.inputs[0].nbytes // 4, "inverse_scale": inverse, "zero_point": call.attributes["zero_point"]}
        return QUANTIZE_PARAMS.pack(values)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.rint(inputs[0].astype(np.float32) * np.float32(1 / call.attributes["scale"]))
        dtype = call.outputs[0].dtype
        info = np.iinfo(dtype)
        steps = np.clip(np.nan_to_num(scaled, nan=0.0), 2 * info.min, -2 * info.min).astype(np.int64)
        return [np.clip(steps + call.attributes["zero_point"], info.min, info.max).astype(dtype)]


class Dequantize(_Conversion):
    name = "dequantize"

    def real_and_integer(self, call: Call) -> tuple[TensorType, TensorType]:
        return call.outputs[0], call.inputs[0]

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        scale = float(np.float32(call.attributes["scale"]))
        values = {"count": call.outputs[0].nbytes // 4, "scale": scale, "zero_point": call.attributes["zero_point"]}
        return DEQUANTIZE_PARAMS.pack(values)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        growth = call.outputs[0].nbytes - call.inputs[0].nbytes  # of all elements but the last, which may end where it will
        count = call.outputs[0].nbytes // 4
        return growth // count * (count - 1) if count else 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        steps = inputs[0].astype(np.int32) - np.int32(call.attributes["zero_point"])
        return [steps.astype(np.float32) * np.float32(call.attributes["scale"])]


OPERATORS = (Quantize(), Dequantize(), requantize.OPERATOR)
