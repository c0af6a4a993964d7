"""softmax of float32 over one axis, and its logarithm.

    t = e^(x - largest of the row), sum of the row's t in the row's order; exponential and logarithm of kernels/float_math.py
    softmax       y = t * (1 / sum)
    log_softmax   y = (x - largest of the row) - ln(sum)

Attribute of a call: axis, the last if there is none.

Kernels: softmax_f32, log_softmax_f32. In a row of n elements, of one that is d below the largest, softmax is within
(n + 6 + d) * 2**-24 of the exact result, relative to it, and log_softmax within (2 * n + 6 + d + 2 * ln(n)) * 2**-24 before its last
rounding.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.float_math import exponential, logarithm
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

KERNELS = tuple(
    KernelSignature(name, ("float",), SOFTMAX_F32_PARAMS.name, False, ("float",), "kernels/softmax/softmax_f32.h")
    for name in ("softmax_f32", "log_softmax_f32")
)


class SoftmaxF32(FloatOperator):
    name = "softmax"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        return f"{self.name}_f32"

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
            differences = x - x.max(axis=1, keepdims=True)
        terms = exponential(differences)
        total = np.zeros((outer, 1, inner), np.float32)
        for i in range(depth):
            total = total + terms[:, i : i + 1]
        return [self._results(differences, terms, total).reshape(call.outputs[0].shape)]

    @staticmethod
    def _results(differences: np.ndarray, terms: np.ndarray, total: np.ndarray) -> np.ndarray:
        return terms * (np.float32(1) / total)

    @staticmethod
    def _sizes(call: Call) -> tuple[int, int, int]:
        """(outer, depth, inner). Raises UnsupportedError where shapes and axis do not fit each other."""
        require_float(call)
        shape, axis = call.inputs[0].shape, call.attributes.get("axis", -1)
        if not shape or call.outputs[0].shape != shape or 0 in shape:
            raise UnsupportedError(f"{call.operator} of float32 needs input and output of one shape that is not empty")
        if not -len(shape) <= axis < len(shape):
            raise UnsupportedError(f"{call.operator}: no axis {axis} in {list(shape)}")
        axis %= len(shape)
        return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


class LogSoftmaxF32(SoftmaxF32):
    name = "log_softmax"

    @staticmethod
    def _results(differences: np.ndarray, terms: np.ndarray, total: np.ndarray) -> np.ndarray:
        return differences - logarithm(total)


OPERATORS = (SoftmaxF32(), LogSoftmaxF32())
