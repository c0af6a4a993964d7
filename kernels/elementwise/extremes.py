"""minimum and maximum of two int8 tensors that have the output's scale and zero point.

Attributes of a call: activation_min, activation_max

Kernels: minimum_s8, maximum_s8
"""

from collections.abc import Callable, Sequence

import numpy as np

from kernels.elementwise import broadcast
from kernels.elementwise.broadcast import Binary
from kernels.operator import Call, Tier
from kernels.params import Field, ParamsStruct

EXTREME_PARAMS = ParamsStruct(
    "ExtremeParams",
    "A minimum or maximum of two int8 tensors.",
    (
        *broadcast.FIELDS,
        Field("unused", "std::uint8_t", "0"),
        Field("unused_too", "std::uint16_t", "0"),
    ),
    (broadcast.AXES,),
)


class Extreme(Binary):
    def __init__(self, name: str, function: Callable[[np.ndarray, np.ndarray], np.ndarray]):
        self.name = name
        self.function = function

    def pack(self, call: Call, tier: Tier) -> bytes:
        rows, attributes = self.broadcast(call), call.attributes
        bounds = {key: attributes[key] for key in ("activation_min", "activation_max")}
        return EXTREME_PARAMS.pack(rows.values | bounds | {"unused": 0, "unused_too": 0}, rows.arrays)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.clip(self.function(*inputs), call.attributes["activation_min"], call.attributes["activation_max"])]


OPERATORS = (Extreme("minimum", np.minimum), Extreme("maximum", np.maximum))
