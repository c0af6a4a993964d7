"""mul: product of two int8 tensors, each with its own scale.

    y = requantise((a - za) * (b - zb) << left_shift, f) + zo, clamped

Attributes of a call (`mul_attributes` computes the factor from three scales):
    input_zero_point                      (a, b)
    left_shift                            0 to 14; above 0 only where the whole factor is 1/2 or more
    multiplier, shift                     factor = scale a * scale b / (output scale * 2**left_shift), below 1/2
    output_zero_point, activation_min, activation_max

Kernel: mul_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.elementwise import broadcast
from kernels.elementwise.broadcast import Binary, finished, operands
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import INT32_MAX, quantise_multiplier, requantise

LARGEST_LEFT_SHIFT = 14
LARGEST_FACTOR = 2.0 ** (LARGEST_LEFT_SHIFT - 1) - 1

MUL_PARAMS = ParamsStruct(
    "MulParams",
    "A product of two int8 tensors.",
    (
        *broadcast.FIELDS,
        Field("zero_point_b", "std::int8_t", ""),
        Field("output_zero_point", "std::int8_t", ""),
        Field("right_shift", "std::uint8_t", "1 to 31"),
        Field("step_a", "std::int32_t", "a, shifted left, is step_a * a + offset_a"),
        Field("offset_a", "std::int32_t", ""),
        Field("multiplier", "std::int32_t", ""),
    ),
    (broadcast.AXES,),
)


def mul_attributes(scale_a: float, scale_b: float, output_scale: float) -> dict[str, int]:
    """The factor of a call for these scales; zero points and activation bounds are the caller's to add.

    From 2**13 on, where every product but 0 saturates, all factors are the same.
    """
    multiplier, shift = quantise_multiplier(min(scale_a * scale_b / output_scale, LARGEST_FACTOR))
    left_shift = max(shift + 1, 0)
    return {"left_shift": left_shift, "multiplier": multiplier, "shift": shift - left_shift}


class Mul(Binary):
    name = "mul"

    def pack(self, call: Call, tier: Tier) -> bytes:
        attributes, rows = call.attributes, self.broadcast(call)
        multiplier, shift, left_shift = (attributes[key] for key in ("multiplier", "shift", "left_shift"))
        if not (multiplier == 0 or 2**30 <= multiplier <= INT32_MAX):
            raise UnsupportedError("mul: its multiplier is neither 0 nor in [2^30, 2^31)")
        if not 0 <= left_shift <= LARGEST_LEFT_SHIFT or shift > -1:
            raise UnsupportedError("mul: its factor is 1/2 or more, or its left shift not in [0, 14]")
        zero_point_a, zero_point_b = attributes["input_zero_point"]
        values = rows.values | {
            "zero_point_b": zero_point_b,
            "output_zero_point": attributes["output_zero_point"],
            "right_shift": min(-shift, 31),
            "step_a": 1 << left_shift,
            "offset_a": -(zero_point_a << left_shift),
            "multiplier": multiplier,
            "activation_min": attributes["activation_min"],
            "activation_max": attributes["activation_max"],
        }
        return MUL_PARAMS.pack(values, rows.arrays)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, (a, b) = call.attributes, operands(call, inputs)
        return finished(call, requantise((a * b) << attributes["left_shift"], attributes["multiplier"], attributes["shift"]))


OPERATOR = Mul()
