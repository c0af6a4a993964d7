"""sum, amax, amin, argmax and argmin over any axes of an int8 tensor; of float32 see reduce_f32.py.

    sum      y = requantise(sum of (x - input zero point), factor) + output zero point, clamped to int8; a mean has 1/count in its factor
             Attributes: axes; multiplier, shift (factor: input scale / output scale, for a mean / count); input_zero_point,
             output_zero_point
    amax     the largest element; amin the smallest. Input and output share scale and zero point. Attribute: axes
    argmax   int32, the index of the first of the largest elements along one axis; argmin of the smallest. Attribute: axes, with one
             element

The output may keep the reduced axes, with size 1, or not. Neighbouring axes that are all reduced, or all kept, count as one; of
either kind there may be two.

Kernels: sum_s8, amax_s8, amin_s8, argmax_s8, argmin_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.reduce import reduce_f32
from kernels.reduce.geometry import GEOMETRY, REDUCTION_PARAMS, Geometry, IndexReduction, Reduction
from kernels.requantise import INT32_MAX, requantise
from kernels.signature import KernelSignature

SUM_PARAMS = ParamsStruct(
    "SumParams",
    "A sum or mean over axes.",
    (
        *GEOMETRY,
        Field("offset", "std::int32_t", "to be added to a sum: -count * input zero point"),
        Field("multiplier", "std::int32_t", ""),
        Field("shift", "std::int32_t", ""),
        Field("output_zero_point", "std::int32_t", ""),
    ),
)

PARAMS = (SUM_PARAMS, REDUCTION_PARAMS, reduce_f32.SUM_F32_PARAMS)


def _kernel(name: str, params: ParamsStruct, output: str = "std::int8_t") -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",), params.name, False, (output,), "kernels/reduce/reduce.h")


KERNELS = (
    _kernel("sum_s8", SUM_PARAMS),
    _kernel("amax_s8", REDUCTION_PARAMS),
    _kernel("amin_s8", REDUCTION_PARAMS),
    _kernel("argmax_s8", REDUCTION_PARAMS, "std::int32_t"),
    _kernel("argmin_s8", REDUCTION_PARAMS, "std::int32_t"),
    *reduce_f32.KERNELS,
)


class _SumS8(Reduction):
    name = "sum"

    def pack(self, call: Call, tier: Tier) -> bytes:
        geometry, attributes = self.geometry(call), call.attributes
        values = {
            "offset": -geometry.count * attributes["input_zero_point"],
            "multiplier": attributes["multiplier"],
            "shift": max(attributes["shift"], -31),
            "output_zero_point": attributes["output_zero_point"],
        }
        return SUM_PARAMS.pack(geometry.fields() | values)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        total = (inputs[0].astype(np.int64) - attributes["input_zero_point"]).sum(axis=attributes["axes"])
        y = requantise(total, attributes["multiplier"], attributes["shift"]) + attributes["output_zero_point"]
        return [np.clip(y, -128, 127).astype(np.int8).reshape(call.outputs[0].shape)]

    def geometry(self, call: Call) -> Geometry:
        geometry, attributes = super().geometry(call), call.attributes
        if not all(-128 <= attributes[key] <= 127 for key in ("input_zero_point", "output_zero_point")):
            raise UnsupportedError("sum: a zero point is outside int8")
        if attributes["multiplier"] and not 2**30 <= attributes["multiplier"] <= INT32_MAX:
            raise UnsupportedError("sum: the multiplier is neither 0 nor in [2^30, 2^31)")
        if geometry.count * 255 << max(attributes["shift"], 0) > INT32_MAX:
            raise UnsupportedError(f"sum: {geometry.count} elements with shift {attributes['shift']} could overflow int32")
        return geometry


class _ExtremeS8(Reduction):
    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        choose = np.max if self.name == "amax" else np.min
        return [choose(inputs[0], axis=tuple(call.attributes["axes"])).reshape(call.outputs[0].shape)]


class _AMaxS8(_ExtremeS8):
    name = "amax"


class _AMinS8(_ExtremeS8):
    name = "amin"


class _ArgMaxS8(IndexReduction):
    name = "argmax"


class _ArgMinS8(IndexReduction):
    name = "argmin"


OPERATORS = tuple(
    ByDtype(*forms) for forms in zip((_SumS8(), _AMaxS8(), _AMinS8(), _ArgMaxS8(), _ArgMinS8()), reduce_f32.OPERATORS, strict=True)
)
