"""Normalisation to mean 0 and variance 1 over groups of elements, then a factor and an offset for each: layer, group, instance and RMS
norms. int8; of float32 see normalise_f32.py.

A tensor is [outer][positions][groups][depth]; the elements of one (outer, group) are normalised together, n = positions * depth of them,
and factors and offsets are [groups][depth]. Input and output have scales and zero points of their own.

Attributes of a call:
    positions, groups, depth   outer is what is left
    centred                    False: nothing is subtracted, and the variance is the mean square (Zhang and Sennrich, 2019)
    epsilon                    added to the variance; float
    factor, offset             float64 [groups * depth]

With S the sum of a group's n values q as stored (centred; else n * zero point), and D their squared distances from S / n,

    D = n * sum(q^2) - S^2 (centred; else n * sum((q - zero point)^2)) + round(epsilon * n^2 / input scale^2), 1 at least
    z = (n * q - S) / sqrt(D), in units of 2^-22, |z| <= 2^8, rounded half up
    y = (z * multiplier + 2^30 >> 31) + offset + 2^(shift - 1) >> shift, clamped to int8

multiplier and offset are the factors and offsets in steps of the output, by one power of two for all. 1 / sqrt(D) is right to 23 bits,
by three of Newton's steps. y is within 0.51 of the exact value for factors below 2^15 steps, and within 0.69 for those below 2^19: an
epsilon far above the variance makes outputs small, so that a factor of 1 is many of their steps.

Kernels: normalise_s8, normalise_f32
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.normalise import normalise_f32
from kernels.normalise.geometry import GEOMETRY_FIELDS, Geometry
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

LARGEST_GROUP = 2**16 - 1

_FRACTION_BITS = 22  # of z
_LARGEST_EPSILON = 2**60
_LEAST_SHIFT = 3  # with which z, the product and the offset are off by up to 1/16 step each

NORMALISE_PARAMS = ParamsStruct(
    "NormaliseParams",
    "A normalisation of int8 [outer][positions][groups][depth] over positions and depth.",
    (
        *GEOMETRY_FIELDS,
        Field("centred", "std::uint32_t", "0 or 1"),
        Field("input_zero_point", "std::int32_t", ""),
        Field("epsilon_low", "std::uint32_t", "the lower half of what is added to D"),
        Field("epsilon_high", "std::uint32_t", ""),
        Field("shift", "std::uint32_t", "1 to 31"),
    ),
    (
        Array("multipliers", "std::int32_t", "[groups * depth]"),
        Array("offsets", "std::int32_t", "[groups * depth], the output's zero point included"),
    ),
)

PARAMS = (NORMALISE_PARAMS, normalise_f32.NORMALISE_F32_PARAMS)

KERNELS = (
    KernelSignature("normalise_s8", ("std::int8_t",), NORMALISE_PARAMS.name, False, ("std::int8_t",), "kernels/normalise/normalise.h"),
    normalise_f32.KERNEL,
)


def inverse_root(d: int) -> tuple[int, int]:
    """(y, s) with 1 / sqrt(d) = y * 2**-30 * 2**-s to 23 bits, y in [2**29, 2**31], for d in [1, 2**63)."""
    headroom = (64 - d.bit_length()) & ~1
    x = (d << headroom) >> 32  # in units of 2**-32, from a quarter to 1
    y = 2289969185 - ((x * 1308569088) >> 32)  # 2.1327 - 1.2187 x, right to 9 %
    for _ in range(3):
        product = (x * ((y * y) >> 31)) >> 32  # x y^2 in units of 2**-29
        y = (y * (3 * 2**29 - product)) >> 30
    return y, 32 - headroom // 2


class _NormaliseS8:
    name = "normalise"

    def kernel(self, call: Call, tier: Tier) -> str:
        (source,), (result,) = call.inputs, call.outputs
        if source.dtype != "int8" or result.dtype != "int8" or source.shape != result.shape:
            raise UnsupportedError("normalise needs int8 input and output of one shape")
        geometry = Geometry.of(call)
        if geometry.count > LARGEST_GROUP:
            raise UnsupportedError(f"normalise: a group has {geometry.count} elements, not {LARGEST_GROUP} at most")
        self._outputs(call)
        return "normalise_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        multipliers, offsets, shift = self._outputs(call)
        epsilon = self._epsilon(call)
        values = Geometry.of(call).fields() | {
            "centred": int(call.attributes["centred"]),
            "input_zero_point": call.inputs[0].zero_point,
            "epsilon_low": epsilon & (2**32 - 1),
            "epsilon_high": epsilon >> 32,
            "shift": shift,
        }
        return NORMALISE_PARAMS.pack(values, {"multipliers": multipliers.astype("<i4").tobytes(), "offsets": offsets.astype("<i4").tobytes()})

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return Geometry.of(call).overlap_lead()

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        geometry = Geometry.of(call)
        multipliers, offsets, shift = self._outputs(call)
        zero_point, n = call.inputs[0].zero_point, geometry.count
        rows = geometry.rows(inputs[0]).astype(np.int64)
        result = np.empty_like(rows)
        for index, row in enumerate(rows):
            total, squares = int(row.sum()), int(np.square(row).sum())
            if call.attributes["centred"]:
                spread = n * squares - total * total
            else:
                spread = n * (squares - 2 * zero_point * total + n * zero_point * zero_point)
                total = n * zero_point
            y, s = inverse_root(max(spread + self._epsilon(call), 1))
            right = 30 + s - _FRACTION_BITS
            z = ((n * row - total) * y + (1 << right >> 1)) >> right
            group = index % geometry.groups
            of_group = slice(group * geometry.depth, (group + 1) * geometry.depth)
            scaled = (z.reshape(-1, geometry.depth) * multipliers[of_group] + 2**30) >> 31
            result[index] = ((scaled + offsets[of_group] + (1 << shift >> 1)) >> shift).reshape(-1)
        return [geometry.unrowed(np.clip(result, -128, 127).astype(np.int8)).reshape(call.outputs[0].shape)]

    def macs(self, call: Call) -> int:
        return 0

    @staticmethod
    def _epsilon(call: Call) -> int:
        """In units of D."""
        steps = call.attributes["epsilon"] * Geometry.of(call).count ** 2 / call.inputs[0].scale ** 2
        return round(min(steps, _LARGEST_EPSILON))

    @staticmethod
    def _outputs(call: Call) -> tuple[np.ndarray, np.ndarray, int]:
        """multipliers, offsets, shift. Raises UnsupportedError where a factor or an offset is not below 2**19 steps of the output."""
        result = call.outputs[0]
        factors, offsets = (np.asarray(call.attributes[key], np.float64) for key in ("factor", "offset"))
        factors, offsets = factors / result.scale, offsets / result.scale + result.zero_point
        if not (np.isfinite(factors).all() and np.isfinite(offsets).all()):
            raise UnsupportedError("normalise: a factor or an offset is not finite")
        # multiplier = factor * 2**(shift + 9) below 2**31, offset * 2**shift below 2**29
        largest = max(float(np.abs(factors).max()) / 2**22, float(np.abs(offsets).max()) / 2**29, 2.0**-31)
        shift = -math.frexp(largest)[1]
        if shift < _LEAST_SHIFT:
            raise UnsupportedError("normalise: a factor or an offset is too large for the output's scale")
        multipliers = np.minimum(np.rint(factors * 2 ** (shift + 9)), 2**31 - 1)
        return multipliers.astype(np.int64), np.rint(offsets * 2**shift).astype(np.int64), shift


OPERATOR = ByDtype(_NormaliseS8(), normalise_f32.NormaliseF32())
