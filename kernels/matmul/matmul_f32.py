"""matmul of float32: a is [..., M, K] and b [..., K, N], or [..., N, K] if `transposed`; the axes in front are as of int8.

    y = a0 * b0 + a1 * b1 + ..., clamped: one sum in that order, each product and each sum rounded to float32

Attributes of a call: transposed; activation_min, activation_max, real numbers, or -infinity and infinity

Kernel: matmul_f32. With K products a result is within (K + 1) * 2**-23 * (|a0 * b0| + |a1 * b1| + ...) of the exact one.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.float_math import clamped
from kernels.floats import ACTIVATION, ITEMSIZE, FloatOperator, activation, require_float
from kernels.linear.linear_f32 import summed_products
from kernels.matmul.sizes import matmul_sizes
from kernels.operator import Call, Tier
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature

MATMUL_F32_PARAMS = ParamsStruct(
    "MatmulF32Params",
    "float a [batches][rows][depth], b [batches][depth][columns] -> float [batches][rows][columns].",
    (
        Field("batches", "std::uint32_t", ""),
        Field("rows", "std::uint32_t", ""),
        Field("depth", "std::uint32_t", ""),
        Field("columns", "std::uint32_t", ""),
        Field("step_a", "std::uint32_t", "elements from a matrix of a to the next; 0: one for all"),
        Field("step_b", "std::uint32_t", "likewise"),
        Field("transposed", "std::uint32_t", "1: b is [batches][columns][depth]"),
        *ACTIVATION,
    ),
)

KERNEL = KernelSignature("matmul_f32", ("float",) * 2, MATMUL_F32_PARAMS.name, False, ("float",), "kernels/matmul/matmul_f32.h")


class MatmulF32(FloatOperator):
    name = "matmul"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        (batches_a, batches_b), rows, depth, columns = self._sizes(call)
        values = {
            "batches": max(batches_a, batches_b),
            "rows": rows,
            "depth": depth,
            "columns": columns,
            "step_a": rows * depth if batches_a > 1 else 0,
            "step_b": depth * columns if batches_b > 1 else 0,
            "transposed": int(call.attributes["transposed"]),
        }
        return MATMUL_F32_PARAMS.pack(values | activation(call))

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A row of a is read until its last output is written, a matrix of b until its last row is."""
        batches, rows, depth, columns = self._sizes(call)
        both = max(batches)
        if batches[input_index] < both:  # one matrix for all
            return None
        if input_index == 0:
            return ITEMSIZE * max(columns, both * rows * columns - (both * rows - 1) * depth)
        return ITEMSIZE * max(rows * columns, both * rows * columns - (both - 1) * depth * columns)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        a, b = inputs
        columns_first = b if call.attributes["transposed"] else b.swapaxes(-1, -2)
        sums = summed_products(a, columns_first, np.float32(0)).reshape(call.outputs[0].shape)
        return [clamped(sums, *activation(call).values())]

    def macs(self, call: Call) -> int:
        return math.prod(call.outputs[0].shape) * call.inputs[0].shape[-1]

    @staticmethod
    def _sizes(call: Call) -> tuple[tuple[int, int], int, int, int]:
        """Batches of a and of b, rows, depth, columns."""
        require_float(call)
        activation(call)
        return matmul_sizes(call)


OPERATOR = MatmulF32()
