"""add: element-wise sum of two int8 tensors of one shape, each with its own scale, with TensorFlow Lite's arithmetic.

    y = requantise(requantise((a - za) << 20, fa) + requantise((b - zb) << 20, fb), fo) + zo, clamped

Attributes of a call (`add_attributes` computes the factors from three scales):
    input_zero_point                      (a, b)
    input_multiplier, input_shift         (a, b): factor = scale / (2 * larger scale), shift <= 0
    output_multiplier, output_shift       factor = 2 * larger scale / (output scale * 2**20)
    output_zero_point, activation_min, activation_max

Kernel: add_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import INT32_MAX, quantise_multiplier, requantise
from kernels.signature import KernelSignature

LEFT_SHIFT = 20

ADD_PARAMS = ParamsStruct(
    "AddParams",
    "A sum of two int8 tensors.",
    (
        Field("count", "std::uint32_t", "elements"),
        Field("multiplier_a", "std::int32_t", ""),
        Field("multiplier_b", "std::int32_t", ""),
        Field("output_multiplier", "std::int32_t", ""),
        Field("shift_a", "std::int8_t", "0 or less"),
        Field("shift_b", "std::int8_t", "0 or less"),
        Field("output_shift", "std::int8_t", "0 or less"),
        Field("zero_point_a", "std::int8_t", ""),
        Field("zero_point_b", "std::int8_t", ""),
        Field("output_zero_point", "std::int8_t", ""),
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
    ),
)

PARAMS = (ADD_PARAMS,)

KERNELS = (
    KernelSignature(
        "add_s8", ("std::int8_t", "std::int8_t"), ADD_PARAMS.name, False, ("std::int8_t",), "kernels/elementwise/add.h"
    ),
)


def add_attributes(scale_a: float, scale_b: float, output_scale: float) -> dict[str, object]:
    """The factors of a call for these scales; zero points and activation bounds are the caller's to add."""
    twice_larger = 2 * max(scale_a, scale_b)
    (multiplier_a, shift_a), (multiplier_b, shift_b) = (quantise_multiplier(s / twice_larger) for s in (scale_a, scale_b))
    multiplier, shift = quantise_multiplier(twice_larger / (output_scale * 2**LEFT_SHIFT))
    return {
        "input_multiplier": (multiplier_a, multiplier_b),
        "input_shift": (shift_a, shift_b),
        "output_multiplier": multiplier,
        "output_shift": shift,
    }


class Add:
    name = "add"

    def kernel(self, call: Call, tier: Tier) -> str:
        attributes, tensors = call.attributes, (*call.inputs, *call.outputs)
        if len(call.inputs) != 2 or any(tensor.dtype != "int8" for tensor in tensors):
            raise UnsupportedError("add needs two int8 inputs and an int8 output")
        if any(tensor.shape != call.outputs[0].shape for tensor in tensors):
            raise UnsupportedError("add: shapes differ")
        if max(*attributes["input_shift"], attributes["output_shift"]) > 0:
            raise UnsupportedError("add: a factor is 1 or more (the output's scale is too small for its inputs')")
        multipliers = (*attributes["input_multiplier"], attributes["output_multiplier"])
        if any(m != 0 and not 2**30 <= m <= INT32_MAX for m in multipliers):
            raise UnsupportedError("add: a multiplier is neither 0 nor in [2^30, 2^31)")
        largest = sum(
            int(requantise(np.int64(255 << LEFT_SHIFT), m, s))
            for m, s in zip(attributes["input_multiplier"], attributes["input_shift"])
        )
        if largest > INT32_MAX:
            raise UnsupportedError("add: the sum could overflow int32")
        zero_points = (*attributes["input_zero_point"], attributes["output_zero_point"])
        low, high = attributes["activation_min"], attributes["activation_max"]
        if not (all(-128 <= z <= 127 for z in zero_points) and -128 <= low <= high <= 127):
            raise UnsupportedError("add: a zero point or activation bound is outside int8")
        return "add_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        attributes = call.attributes
        values = {
            "count": call.outputs[0].nbytes,
            "multiplier_a": attributes["input_multiplier"][0],
            "multiplier_b": attributes["input_multiplier"][1],
            "output_multiplier": attributes["output_multiplier"],
            "shift_a": max(attributes["input_shift"][0], -31),
            "shift_b": max(attributes["input_shift"][1], -31),
            "output_shift": max(attributes["output_shift"], -31),
            "zero_point_a": attributes["input_zero_point"][0],
            "zero_point_b": attributes["input_zero_point"][1],
            "output_zero_point": attributes["output_zero_point"],
            "activation_min": attributes["activation_min"],
            "activation_max": attributes["activation_max"],
        }
        return ADD_PARAMS.pack(values)

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        scaled = [
            requantise((x.astype(np.int64) - zero_point) << LEFT_SHIFT, multiplier, shift)
            for x, zero_point, multiplier, shift in zip(
                inputs, attributes["input_zero_point"], attributes["input_multiplier"], attributes["input_shift"]
            )
        ]
        total = requantise(scaled[0] + scaled[1], attributes["output_multiplier"], attributes["output_shift"])
        shifted = total + attributes["output_zero_point"]
        return [np.clip(shifted, attributes["activation_min"], attributes["activation_max"]).astype(np.int8)]

    def macs(self, call: Call) -> int:
        return 0


OPERATOR = Add()
