"""Operators of two float32 tensors that broadcast: add, mul, div, minimum, maximum.

    add   a + alpha * b      mul   a * b      div   a / b      minimum, maximum   not a number if either operand is none

each operation rounded to float32, then clamped.

Attributes of a call: activation_min, activation_max, real numbers, or -infinity and infinity; of add, alpha, 1 if there is none.

Kernels: add_f32, mul_f32, div_f32, minimum_f32, maximum_f32
"""

from collections.abc import Callable, Sequence

import numpy as np

from kernels.elementwise import broadcast
from kernels.elementwise.broadcast import Broadcast
from kernels.float_math import clamped, float_function, greater, lesser
from kernels.floats import ACTIVATION, FloatOperator, activation, require_float
from kernels.operator import Call, Tier
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature

BINARY_F32_PARAMS = ParamsStruct(
    "BinaryF32Params",
    "An operator of two tensors of floats.",
    (
        *broadcast.ROW_FIELDS,
        Field("unused", "std::uint8_t", "0"),
        *ACTIVATION,
        Field("alpha", "float", "of add_f32: what b is multiplied with; 1 for all others"),
    ),
    (broadcast.AXES,),
)


class BinaryF32(FloatOperator):
    def __init__(self, name: str, function: Callable[[np.ndarray, np.ndarray], np.ndarray]):
        self.name = name
        self.function = float_function(function)

    @property
    def signature(self) -> KernelSignature:
        header = "kernels/elementwise/elementwise_f32.h"
        return KernelSignature(f"{self.name}_f32", ("float",) * 2, BINARY_F32_PARAMS.name, False, ("float",), header)

    def kernel(self, call: Call, tier: Tier) -> str:
        self._rows(call)
        activation(call)
        return self.signature.name

    def pack(self, call: Call, tier: Tier) -> bytes:
        rows = self._rows(call)
        values = rows.values | activation(call) | {"alpha": _alpha(call), "unused": 0}
        return BINARY_F32_PARAMS.pack(values, rows.arrays)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return broadcast.overlap_lead(call, input_index)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        a, b = inputs
        if _alpha(call) != 1:
            b = np.float32(_alpha(call)) * b
        return [clamped(self.function(a, b), *activation(call).values())]

    def _rows(self, call: Call) -> Broadcast:
        require_float(call)
        return broadcast.rows_of(call)


def _alpha(call: Call) -> float:
    return float(call.attributes.get("alpha", 1.0))


FORMS = {
    operator.name: operator
    for operator in (
        BinaryF32("add", np.add),
        BinaryF32("mul", np.multiply),
        BinaryF32("div", np.divide),
        BinaryF32("minimum", lesser),
        BinaryF32("maximum", greater),
    )
}
