"""normalise of float32, of which normalise.py tells; all sums in the order in which elements lie in memory.

    mean = sum(x) / n (centred; else 0)
    y = (x - mean) * (1 / sqrt(sum((x - mean)^2) / n + epsilon)) * factor + offset

Kernel: normalise_f32
"""

from collections.abc import Sequence

import numpy as np

from kernels.float_math import square_root
from kernels.floats import ITEMSIZE, FloatOperator, require_float
from kernels.normalise.geometry import GEOMETRY_FIELDS, Geometry
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

NORMALISE_F32_PARAMS = ParamsStruct(
    "NormaliseF32Params",
    "A normalisation of float [outer][positions][groups][depth] over positions and depth.",
    (
        *GEOMETRY_FIELDS,
        Field("centred", "std::uint32_t", "0 or 1"),
        Field("epsilon", "float", ""),
    ),
    (
        Array("factors", "float", "[groups * depth]"),
        Array("offsets", "float", "[groups * depth]"),
    ),
)

KERNEL = KernelSignature("normalise_f32", ("float",), NORMALISE_F32_PARAMS.name, False, ("float",), "kernels/normalise/normalise_f32.h")


class NormaliseF32(FloatOperator):
    name = "normalise"

    def kernel(self, call: Call, tier: Tier) -> str:
        require_float(call)
        if call.inputs[0].shape != call.outputs[0].shape:
            raise UnsupportedError("normalise needs input and output of one shape")
        Geometry.of(call)
        return "normalise_f32"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        values = Geometry.of(call).fields() | {"centred": int(call.attributes["centred"]), "epsilon": call.attributes["epsilon"]}
        arrays = {name: np.asarray(call.attributes[key], "<f4").tobytes() for name, key in (("factors", "factor"), ("offsets", "offset"))}
        return NORMALISE_F32_PARAMS.pack(values, arrays)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return ITEMSIZE * Geometry.of(call).overlap_lead()

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        geometry = Geometry.of(call)
        x, count = geometry.rows(inputs[0]), np.float32(geometry.count)
        mean = _sum(x) / count if call.attributes["centred"] else np.float32(0)
        x = x - mean
        inverse = np.float32(1) / square_root(_sum(x * x) / count + np.float32(call.attributes["epsilon"]))
        factors, offsets = (
            np.tile(np.asarray(call.attributes[key], np.float32).reshape(geometry.groups, 1, -1), (geometry.outer, geometry.positions, 1))
            for key in ("factor", "offset")
        )
        y = x * inverse * factors.reshape(x.shape) + offsets.reshape(x.shape)
        return [geometry.unrowed(y).reshape(call.outputs[0].shape)]


def _sum(rows: np.ndarray) -> np.ndarray:
    total = np.zeros((len(rows), 1), np.float32)
    for column in rows.T:
        total = total + column[:, None]
    return total
