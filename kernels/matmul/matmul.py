"""matmul: matrix products of two int8 activations, batch by batch; of float32 see matmul_f32.py.

    y = requantise(sum over k of (a - za) * (b - zb), factor) + zo, clamped

a is [..., M, K] and b [..., K, N], or [..., N, K] if `transposed`. The axes in front are equal, or one operand's are all 1 or missing.

Attributes of a call (`matmul_attributes` computes the factor from three scales):
    transposed
    multiplier, shift      factor = scale of a * scale of b / output scale, below 1/2; see kernels/requantise.py
    input_zero_point       (a, b)
    output_zero_point, activation_min, activation_max

The kernel packs b as linear packs weights, into its scratch, and then goes through a as linear goes through its rows.

Kernel: matmul_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.matmul import matmul_f32
from kernels.matmul.sizes import matmul_sizes
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import quantise_multiplier, requantise
from kernels.signature import KernelSignature

MATMUL_PARAMS = ParamsStruct(
    "MatmulParams",
    "int8 a [batches][rows][depth], b [batches][depth][columns] -> int8 [batches][rows][columns].",
    (
        Field("batches", "std::uint32_t", ""),
        Field("rows", "std::uint32_t", ""),
        Field("depth", "std::uint16_t", ""),
        Field("columns", "std::uint16_t", ""),
        Field("step_a", "std::uint32_t", "bytes from a matrix of a to the next; 0: one for all"),
        Field("step_b", "std::uint32_t", "likewise"),
        Field("multiplier", "std::int32_t", ""),
        Field("right_shift", "std::uint8_t", "1 to 23"),
        Field("transposed", "std::uint8_t", "1: b is [batches][columns][depth]"),
        Field("zero_point_a", "std::int8_t", ""),
        Field("zero_point_b", "std::int8_t", ""),
        Field("unused", "std::int8_t", "0"),
        Field("output_zero_point", "std::int8_t", ""),
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
    ),
)

PARAMS = (MATMUL_PARAMS, matmul_f32.MATMUL_F32_PARAMS)

KERNELS = (
    KernelSignature("matmul_s8", ("std::int8_t",) * 2, MATMUL_PARAMS.name, True, ("std::int8_t",), "kernels/matmul/matmul.h"),
    matmul_f32.KERNEL,
)

LARGEST_DEPTH = 2**13 - 1
"""For which no sum of products, corrections for zero points included, reaches 2^30."""


def matmul_attributes(scale_a: float, scale_b: float, output_scale: float) -> dict[str, int]:
    """Multiplier and shift. Raises UnsupportedError for a factor of 1/2 or more."""
    factor = scale_a * scale_b / output_scale
    if not factor < 0.5:
        raise UnsupportedError(f"matmul: the output's factor is {factor:g}, not below 1/2 (its scale is too small for its inputs')")
    multiplier, shift = quantise_multiplier(factor)
    if multiplier and shift < -23:  # beside such an output scale every product is 0
        multiplier, shift = 0, 0
    return {"multiplier": multiplier, "shift": shift}


class _MatmulS8:
    name = "matmul"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        attributes = call.attributes
        if attributes["multiplier"] and not (attributes["multiplier"] >= 2**30 and -23 <= attributes["shift"] <= -1):
            raise UnsupportedError("matmul: the factor is not in [2^-24, 1/2)")
        return "matmul_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        (batches_a, batches_b), rows, depth, columns = self._sizes(call)
        attributes = call.attributes
        values = {
            "batches": max(batches_a, batches_b),
            "rows": rows,
            "depth": depth,
            "columns": columns,
            "step_a": rows * depth if batches_a > 1 else 0,
            "step_b": depth * columns if batches_b > 1 else 0,
            "multiplier": attributes["multiplier"],
            "right_shift": -attributes["shift"] or 1,
            "transposed": int(attributes["transposed"]),
            "zero_point_a": attributes["input_zero_point"][0],
            "zero_point_b": attributes["input_zero_point"][1],
            "unused": 0,
        }
        return MATMUL_PARAMS.pack(values | {k: attributes[k] for k in ("output_zero_point", "activation_min", "activation_max")})

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        """A row of a, and b as records of four columns."""
        _, _, depth, columns = self._sizes(call)
        step, input_bytes = {"scalar": (4, 1), "dsp": (4, 2), "mve": (16, 1)}[tier]
        padded = -(-depth // step) * step
        return padded * input_bytes + -(-columns // 4) * (36 + 4 * padded)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A row of a is copied before its outputs are written, a matrix of b before those of its batch."""
        batches, rows, depth, columns = self._sizes(call)
        both = max(batches)
        if batches[input_index] == 1 and both > 1:  # one matrix for all
            return None if input_index == 0 else 0
        if input_index == 0:
            return max(0, (both * rows - 1) * (columns - depth))
        return max(0, (both - 1) * (rows - depth) * columns)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        a, b = (x.astype(np.float64) - zero for x, zero in zip(inputs, attributes["input_zero_point"]))  # float64 is exact here
        if attributes["transposed"]:
            b = b.swapaxes(-1, -2)
        sums = (a @ b).astype(np.int64).reshape(call.outputs[0].shape)
        y = requantise(sums, attributes["multiplier"], attributes["shift"]) + attributes["output_zero_point"]
        return [np.clip(y, attributes["activation_min"], attributes["activation_max"]).astype(np.int8)]

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * call.inputs[0].shape[-1]

    @staticmethod
    def _sizes(call: Call) -> tuple[tuple[int, int], int, int, int]:
        """Batches of a and of b, rows, depth, columns."""
        if any(tensor.dtype != "int8" for tensor in (*call.inputs, *call.outputs)):
            raise UnsupportedError("matmul needs int8 inputs and output")
        batches, rows, depth, columns = matmul_sizes(call)
        if depth > LARGEST_DEPTH or columns >= 2**16:
            raise UnsupportedError(f"matmul: {depth} products or {columns} columns are more than a kernel of int8 takes")
        return batches, rows, depth, columns


OPERATOR = ByDtype(_MatmulS8(), matmul_f32.OPERATOR)
