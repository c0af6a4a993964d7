"""linear of float32.

    y = bias + w0 * x0 + w1 * x1 + ..., clamped: one sum in that order, each product and each sum rounded to float32

Attributes of a call:
    weight             float32 [O, I]; input is [..., I], output [..., O]
    bias               float32 [O]
    activation_min, activation_max      real numbers, or -infinity and infinity

Kernel: linear_f32. With n products a result is within (n + 1) * 2**-23 * (|bias| + |w0 * x0| + ...) of the exact one.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.float_math import clamped
from kernels.floats import ACTIVATION, ITEMSIZE, FloatOperator, activation, require_float
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

LINEAR_F32_PARAMS = ParamsStruct(
    "LinearF32Params",
    "float [rows][input_channels] -> float [rows][output_channels].",
    (
        Field("rows", "std::uint32_t", ""),
        Field("input_channels", "std::uint32_t", ""),
        Field("output_channels", "std::uint32_t", ""),
        *ACTIVATION,
    ),
    (
        Array("weights", "float", "[output_channels][input_channels]"),
        Array("bias", "float", "[output_channels]"),
    ),
)

KERNEL = KernelSignature(
    "linear_f32", ("float",), LINEAR_F32_PARAMS.name, False, ("float",), "kernels/linear/linear_f32.h"
)


class LinearF32(FloatOperator):
    name = "linear"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        return KERNEL.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        rows, outputs, depth = self._sizes(call)
        values = {"rows": rows, "input_channels": depth, "output_channels": outputs} | activation(call)
        arrays = {"weights": call.attributes["weight"], "bias": call.attributes["bias"]}
        return LINEAR_F32_PARAMS.pack(values, {name: array.astype("<f4").tobytes() for name, array in arrays.items()})

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A row is read until its last output is written."""
        rows, outputs, depth = self._sizes(call)
        return ITEMSIZE * max(outputs, rows * outputs - (rows - 1) * depth)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        rows = np.atleast_2d(inputs[0])
        sums = summed_products(rows, call.attributes["weight"], call.attributes["bias"]).reshape(call.outputs[0].shape)
        return [clamped(sums, *activation(call).values())]

    def macs(self, call: Call) -> int:
        return math.prod(self._sizes(call))

    @staticmethod
    def _sizes(call: Call) -> tuple[int, int, int]:
        """(rows, output channels, input channels). Raises UnsupportedError where dtypes and shapes do not fit each other."""
        require_float(call)
        weight, bias, (source,), (result,) = call.attributes["weight"], call.attributes["bias"], call.inputs, call.outputs
        if weight.ndim != 2 or source.shape[-1:] != weight.shape[1:] or result.shape != source.shape[:-1] + weight.shape[:1]:
            raise UnsupportedError(f"linear: weight {weight.shape} does not fit input {source.shape} and output {result.shape}")
        if weight.dtype != np.float32 or bias.dtype != np.float32 or bias.shape != weight.shape[:1]:
            raise UnsupportedError("linear of float32 needs float32 weights and a bias per output channel")
        activation(call)
        return math.prod(source.shape[:-1]), *weight.shape


def summed_products(a: np.ndarray, b: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """[..., rows, outputs] for a [..., rows, depth], b [..., outputs, depth] and a bias that broadcasts, summed in order of depth."""
    shape = np.broadcast_shapes(a.shape[:-1] + (1,), b.shape[:-2] + (1, b.shape[-2]), bias.shape)
    sums = np.broadcast_to(bias, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(a.shape[-1]):
            sums = sums + a[..., :, i, None] * b[..., None, :, i]
    return sums


OPERATOR = LinearF32()
