"""softmax of float32 over one axis.

    t = e^(x - largest of the row), y = t * (1 / sum of the row's t), the sum in the row's order; exponential of kernels/float_math.py

Attribute of a call: axis, the last if there is none.

Kernel: softmax_f32. In a row of n elements results are within (n + 6) * 2**-24 of the exact ones, relative to them, of which the
exponential's argument, a difference d rounded, may add |d| * 2**-24.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.float_math import exponential
from kernels.floats import ITEMSIZE, FloatOperator, require_float
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature

SOFTMAX_F32_PARAMS = ParamsStruct(
    "SoftmaxF32Params",
    "A softmax of float [outer][depth][inner] over depth.",
    (
        Field("outer", "std::uint32_t", ""),
        Field("depth", "std::uint32_t", ""),
        Field("inner", "std::uint32_t", ""),
    ),
)

KERNEL = KernelSignature(
    "softmax_f32", ("float",), SOFTMAX_F32_PARAMS.name, False, ("float",), "kernels/softmax/softmax_f32.h"
)


class SoftmaxF32(FloatOperator):
    name = "softmax"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        return SOFTMAX_F32_PARAMS.pack(dict(zip(("outer", "depth", "inner"), self._sizes(call))))

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A row may overwrite itself; of rows that interlace the last element must not reach the first of the next."""
        _, depth, inner = self._sizes(call)
        return 0 if inner == 1 else ITEMSIZE * (depth - 1) * inner

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        outer, depth, inner = self._sizes(call)
        x = inputs[0].reshape(outer, depth, inner)
        with np.errstate(invalid="ignore"):
            terms = exponential(x - x.max(axis=1, keepdims=True))
        total = np.zeros((outer, inner), np.float32)
        for i in range(depth):
            total = total + terms[:, i]
        return [(terms * (np.float32(1) / total)[:, None]).reshape(call.outputs[0].shape)]

    @staticmethod
    def _sizes(call: Call) -> tuple[int, int, int]:
        """(outer, depth, inner). Raises UnsupportedError where shapes and axis do not fit each other."""
        require_float(call)
        shape, axis = call.inputs[0].shape, call.attributes.get("axis", -1)
        if not shape or call.outputs[0].shape != shape or 0 in shape:
            raise UnsupportedError("softmax of float32 needs input and output of one shape that is not empty")
        if not -len(shape) <= axis < len(shape):
            raise UnsupportedError(f"softmax: no axis {axis} in {list(shape)}")
        axis %= len(shape)
        return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


OPERATOR = SoftmaxF32()
