"""div: quotient of two int8 tensors, each with its own scale; x / 0 is 0.

    y = (a - za) * reciprocal[b] / 2**shift, rounded half away from zero, + zo, clamped

The divisor has 256 values only, so that the division is done ahead of time.

Attributes of a call (`div_attributes` computes the table from three scales):
    input_zero_point                      (a, b)
    reciprocal                            int32[256] in [-2**22, 2**22], for b = -128 to 127
    shift                                 1 to 30; reciprocal / 2**shift = scale a / (scale b * output scale * (b - zb))
    output_zero_point, activation_min, activation_max

Kernel: div_s8
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.elementwise import broadcast
from kernels.elementwise.broadcast import Binary, finished, operands
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.requantise import rounding_divide_by_power_of_two

RECIPROCAL_BITS = 22
LARGEST_SHIFT = 30
LARGEST_RECIPROCAL = 512.0  # times anything but 0 it is beyond int8

DIV_PARAMS = ParamsStruct(
    "DivParams",
    "A quotient of two int8 tensors.",
    (
        *broadcast.FIELDS,
        Field("zero_point_a", "std::int8_t", ""),
        Field("output_zero_point", "std::int8_t", ""),
        Field("right_shift", "std::uint8_t", "1 to 30"),
    ),
    (
        broadcast.AXES,
        Array("reciprocal", "std::int32_t", "256, for b = 0 to 127, then -128 to -1: by its bits as an unsigned number."),
    ),
)


def div_attributes(scale_a: float, scale_b: float, output_scale: float, zero_point_b: int) -> dict[str, object]:
    """The table of a call for these scales; other zero points and activation bounds are the caller's to add."""
    divisors = np.arange(-128, 128) - zero_point_b
    factor = scale_a / (scale_b * output_scale)
    real = np.array([0.0 if d == 0 else min(factor / abs(d), LARGEST_RECIPROCAL) * np.sign(d) for d in divisors])
    shift = min(RECIPROCAL_BITS - max(math.frexp(np.abs(real).max())[1], 0), LARGEST_SHIFT)
    return {"reciprocal": np.rint(real * 2.0**shift).astype(np.int32), "shift": shift}


class Div(Binary):
    name = "div"

    def pack(self, call: Call, tier: Tier) -> bytes:
        attributes, rows = call.attributes, self.broadcast(call)
        reciprocal, shift = attributes["reciprocal"], attributes["shift"]
        if reciprocal.shape != (256,) or np.abs(reciprocal.astype(np.int64)).max() > 2**RECIPROCAL_BITS:
            raise UnsupportedError("div needs 256 reciprocals in [-2^22, 2^22]")
        if not 1 <= shift <= LARGEST_SHIFT:
            raise UnsupportedError("div: its shift is outside [1, 30]")
        values = rows.values | {
            "zero_point_a": attributes["input_zero_point"][0],
            "output_zero_point": attributes["output_zero_point"],
            "right_shift": shift,
            "activation_min": attributes["activation_min"],
            "activation_max": attributes["activation_max"],
        }
        return DIV_PARAMS.pack(values, rows.arrays | {"reciprocal": np.roll(reciprocal, 128).astype("<i4").tobytes()})

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, (a, _) = call.attributes, operands(call, inputs)
        product = a * attributes["reciprocal"].astype(np.int64)[inputs[1].astype(np.int64) + 128]
        return finished(call, rounding_divide_by_power_of_two(product, attributes["shift"]))


OPERATOR = Div()
