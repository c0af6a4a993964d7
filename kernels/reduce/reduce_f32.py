"""sum (and mean), amax, amin, argmax and argmin over any axes of a float32 tensor.

    sum      x0 + x1 + ... in order of the axes, each sum rounded to float32, divided by `divisor`: 1, or for a mean the number of
             elements. Attributes: axes, divisor
    amax     the largest element, amin the smallest; not a number if one of the elements is none. Attribute: axes
    argmax   int32, the index along one axis of the first element that is no number, or if all are, of the first of the largest;
             argmin of the smallest. Attribute: axes, with one element

Kernels: sum_f32, amax_f32, amin_f32, argmax_f32, argmin_f32. A sum of n elements is within n * 2**-24 * (|x0| + |x1| + ...) of the exact one.
"""

from collections.abc import Callable, Sequence

import numpy as np

from kernels.float_math import greater, lesser
from kernels.operator import Call, Tier
from kernels.params import Field, ParamsStruct
from kernels.reduce.geometry import GEOMETRY, REDUCTION_PARAMS, IndexReduction, Reduction
from kernels.signature import KernelSignature

SUM_F32_PARAMS = ParamsStruct(
    "SumF32Params", "A sum or mean of floats over axes.", (*GEOMETRY, Field("divisor", "float", "1, or the number of elements"))
)


def _kernel(name: str, params: ParamsStruct, output: str = "float") -> KernelSignature:
    return KernelSignature(f"{name}_f32", ("float",), params.name, False, (output,), "kernels/reduce/reduce_f32.h")


KERNELS = (
    _kernel("sum", SUM_F32_PARAMS),
    _kernel("amax", REDUCTION_PARAMS),
    _kernel("amin", REDUCTION_PARAMS),
    _kernel("argmax", REDUCTION_PARAMS, "std::int32_t"),
    _kernel("argmin", REDUCTION_PARAMS, "std::int32_t"),
)


class _ReductionF32(Reduction):
    suffix = "f32"
    input_dtype = "float32"
    output_dtype = "float32"


class SumF32(_ReductionF32):
    name = "sum"

    def pack(self, call: Call, tier: Tier) -> bytes:
        return SUM_F32_PARAMS.pack(self.geometry(call).fields() | {"divisor": float(call.attributes["divisor"])})

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            total = _combined(call, inputs[0], np.add, 0.0)
            return [total / np.float32(call.attributes["divisor"])]


class AMaxF32(_ReductionF32):
    name = "amax"

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [_combined(call, inputs[0], greater, -np.inf)]


class AMinF32(_ReductionF32):
    name = "amin"

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [_combined(call, inputs[0], lesser, np.inf)]


class _IndexReductionF32(IndexReduction):
    suffix = "f32"
    input_dtype = "float32"


class ArgMaxF32(_IndexReductionF32):
    name = "argmax"


class ArgMinF32(_IndexReductionF32):
    name = "argmin"


def _combined(call: Call, x: np.ndarray, combine: Callable[[np.ndarray, np.ndarray], np.ndarray], start: float) -> np.ndarray:
    """The elements that become one, one after the other: combine(result so far, element)."""
    axes = sorted(call.attributes["axes"])
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*axes, *kept).reshape(-1, *(x.shape[axis] for axis in kept))
    result = np.full(rows.shape[1:], start, np.float32)
    for row in rows:
        result = combine(result, row)
    return result.reshape(call.outputs[0].shape)


OPERATORS = (SumF32(), AMaxF32(), AMinF32(), ArgMaxF32(), ArgMinF32())
