"""add: sum or difference of two int8 tensors, each with its own scale, with TensorFlow Lite's arithmetic.

    y = requantise(requantise((a - za) << 20, fa) + requantise((b - zb) << 20, fb), fo) + zo, clamped

Attributes of a call (`add_attributes` computes the factors from three scales):
    input_zero_point                      (a, b)
    input_multiplier, input_shift         (a, b): factor = scale / (2 * larger scale), so that one of them is 1/2; a negative
                                          multiplier subtracts
    output_multiplier, output_shift       factor = 2 * larger scale / (output scale * 2**20), below 1/2
    output_zero_point, activation_min, activation_max

Of the operand whose factor is 1/2 the kernel makes (a - za) << 19, which it calls a; the other it requantises. Both are linear
functions of the stored value first, which hold zero point and sign.

Kernel: add_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.elementwise import broadcast
from kernels.elementwise.broadcast import Binary, finished, operands
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import INT32_MAX, quantise_multiplier, requantise

LEFT_SHIFT = 20
HALF = (2**30, 0)  # the factor 1/2
LARGEST_FACTOR = 0.5 - 2.0**-32

ADD_PARAMS = ParamsStruct(
    "AddParams",
    "A sum of two int8 tensors.",
    (
        *broadcast.FIELDS,
        Field("swapped", "std::uint8_t", "1: a is the second input"),
        Field("right_shift_b", "std::uint8_t", "1 to 31"),
        Field("output_right_shift", "std::uint8_t", "1 to 31"),
        Field("step_a", "std::int32_t", "a, in the sum's scale, is step_a * a + offset_a"),
        Field("offset_a", "std::int32_t", ""),
        Field("step_b", "std::int32_t", "b is step_b * b + offset_b, requantised"),
        Field("offset_b", "std::int32_t", ""),
        Field("multiplier_b", "std::int32_t", ""),
        Field("output_multiplier", "std::int32_t", ""),
        Field("output_zero_point", "std::int32_t", ""),
    ),
    (broadcast.AXES,),
)


def add_attributes(scale_a: float, scale_b: float, output_scale: float) -> dict[str, object]:
    """The factors of a call for these scales, of which that of b may be negative; zero points and bounds are the caller's to add.

    An output scale too fine for its factor, beside which every sum but 0 saturates, is taken as the finest there is.
    """
    twice_larger = 2 * max(scale_a, abs(scale_b))
    (multiplier_a, shift_a), (multiplier_b, shift_b) = (quantise_multiplier(abs(s) / twice_larger) for s in (scale_a, scale_b))
    multiplier, shift = quantise_multiplier(min(twice_larger / (output_scale * 2**LEFT_SHIFT), LARGEST_FACTOR))
    return {
        "input_multiplier": (multiplier_a, multiplier_b if scale_b > 0 else -multiplier_b),
        "input_shift": (shift_a, shift_b),
        "output_multiplier": multiplier,
        "output_shift": shift,
    }


class Add(Binary):
    name = "add"

    def pack(self, call: Call, tier: Tier) -> bytes:
        attributes, rows = call.attributes, self.broadcast(call)
        if attributes["output_shift"] > -1:
            raise UnsupportedError("add: the output's factor is 1/2 or more (its scale is too small for its inputs')")
        multipliers = (*attributes["input_multiplier"], attributes["output_multiplier"])
        if any(m != 0 and not 2**30 <= abs(m) <= INT32_MAX for m in multipliers) or multipliers[2] < 0:
            raise UnsupportedError("add: a multiplier is neither 0 nor in [2^30, 2^31)")
        a, b = factors = [(abs(m), s) for m, s in zip(attributes["input_multiplier"], attributes["input_shift"])]
        if HALF not in factors or max(a[1], b[1]) > 0:
            raise UnsupportedError("add: no factor of an input is 1/2 and the other below")
        swapped = a != HALF
        order = (1, 0) if swapped else (0, 1)
        signs = [-1 if multiplier < 0 else 1 for multiplier in attributes["input_multiplier"]]
        multiplier_b, shift_b = factors[order[1]]
        step_a, step_b = signs[order[0]] << (LEFT_SHIFT - 1), signs[order[1]] << LEFT_SHIFT
        if multiplier_b and shift_b == 0:
            if (multiplier_b, shift_b) != HALF:
                raise UnsupportedError("add: no factor of an input is 1/2 and the other below")
            step_b, shift_b = 2 * step_b, -1  # the kernel shifts right at least once
        zero_points = attributes["input_zero_point"]
        values = (rows.swapped if swapped else rows).values | {
            "swapped": swapped,
            "right_shift_b": min(max(-shift_b, 1), 31),
            "output_right_shift": min(-attributes["output_shift"], 31),
            "step_a": step_a,
            "offset_a": -zero_points[order[0]] * step_a,
            "step_b": step_b,
            "offset_b": -zero_points[order[1]] * step_b,
            "multiplier_b": multiplier_b,
            "output_multiplier": attributes["output_multiplier"],
            "output_zero_point": attributes["output_zero_point"],
            "activation_min": attributes["activation_min"],
            "activation_max": attributes["activation_max"],
        }
        return ADD_PARAMS.pack(values, (rows.swapped if swapped else rows).arrays)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        a, b = (
            requantise(x << LEFT_SHIFT, multiplier, shift)
            for x, multiplier, shift in zip(operands(call, inputs), attributes["input_multiplier"], attributes["input_shift"])
        )
        return finished(call, requantise(a + b, attributes["output_multiplier"], attributes["output_shift"]))


OPERATOR = Add()
