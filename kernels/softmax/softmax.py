"""softmax over one axis, int8, and its logarithm; the output of softmax has scale 1/256 and zero point -128. Of float32 see
softmax_f32.py.

Softmax is bit for bit TensorFlow Lite's int8 softmax: gemmlowp's fixed-point exponential with 5 integer bits, its reciprocal by three
Newton steps, sums with 12 integer bits.

Attributes of a call (`softmax_attributes` computes all but the axis from the input's scale):
    axis                           the last if there is none
    input_multiplier, input_shift  factor = input scale * 2**26, shift >= 0, see kernels/requantise.py
    diff_min                       differences from the row's maximum below this give 0

log_softmax takes the sum of the exponentials, too, and of that the logarithm to base 2 with 20 bits behind the point; then

    y = ((x - largest) * difference_step - requantise(logarithm << 7, factor) + 2**12) >> 13, + output zero point, clamped to int8

Its further attributes (`log_softmax_attributes`): difference_step = input scale / output scale * 2**13; logarithm_multiplier and
logarithm_shift, factor = ln 2 / (output scale * 2**14); output_zero_point

Kernels: softmax_s8, log_softmax_s8
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import (
    quantise_multiplier,
    requantise,
    rounding_divide_by_power_of_two,
    rounding_doubling_high_multiply,
)
from kernels.signature import KernelSignature
from kernels.softmax import softmax_f32

_INTEGER_BITS = 5
_SUM_BITS = 12
LARGEST_DEPTH = 2**_SUM_BITS - 1

_FIELDS = (
    Field("outer", "std::uint32_t", ""),
    Field("depth", "std::uint32_t", ""),
    Field("inner", "std::uint32_t", ""),
    Field("input_multiplier", "std::int32_t", ""),
    Field("input_shift", "std::int32_t", "to the left"),
    Field("diff_min", "std::int32_t", "0 or less"),
)

SOFTMAX_PARAMS = ParamsStruct("SoftmaxParams", "A softmax of int8 [outer][depth][inner] over depth.", _FIELDS)

LOG_SOFTMAX_PARAMS = ParamsStruct(
    "LogSoftmaxParams",
    "The logarithm of a softmax.",
    (
        *_FIELDS,
        Field("difference_step", "std::int32_t", "of the input, in steps of the output, times 2^13"),
        Field("logarithm_multiplier", "std::int32_t", ""),
        Field("logarithm_right_shift", "std::uint32_t", "0 to 31"),
        Field("output_zero_point", "std::int32_t", ""),
    ),
)

PARAMS = (SOFTMAX_PARAMS, LOG_SOFTMAX_PARAMS, softmax_f32.SOFTMAX_F32_PARAMS)

KERNELS = (
    *(
        KernelSignature(name, ("std::int8_t",), params.name, False, ("std::int8_t",), "kernels/softmax/softmax.h")
        for name, params in (("softmax_s8", SOFTMAX_PARAMS), ("log_softmax_s8", LOG_SOFTMAX_PARAMS))
    ),
    *softmax_f32.KERNELS,
)


def softmax_attributes(input_scale: float) -> dict[str, int]:
    """A call's attributes for an input of this scale (real units per step)."""
    # At 2**-26 a unit or less all exponentials are 1 but for 4e-6, and all quotients the same.
    factor = min(max(input_scale * 2 ** (31 - _INTEGER_BITS), 1), 2**31 - 1)
    multiplier, shift = quantise_multiplier(factor)
    largest = math.floor((2**_INTEGER_BITS - 1) * 2 ** (31 - _INTEGER_BITS) / 2**shift)
    return {"input_multiplier": multiplier, "input_shift": shift, "diff_min": -largest}


def log_softmax_attributes(input_scale: float, output_scale: float, output_zero_point: int) -> dict[str, int]:
    """A call's attributes for these scales. Raises UnsupportedError where the output's is below 2**-12."""
    if output_scale < 2**-12:
        raise UnsupportedError(f"log_softmax: output scale {output_scale} is too small")
    multiplier, shift = quantise_multiplier(math.log(2) / (output_scale * 2**14))
    return softmax_attributes(input_scale) | {
        "difference_step": round(min(input_scale / output_scale, 512) * 2**13),  # beyond, the first difference saturates
        "logarithm_multiplier": multiplier,
        "logarithm_shift": shift,
        "output_zero_point": output_zero_point,
    }


def logarithm(total: np.ndarray) -> np.ndarray:
    """log2(total / 2**19) in units of 2**-20, bit after bit, for total in [2**19, 2**31)."""
    headroom = 32 - np.array([int(value).bit_length() for value in total.reshape(-1)], np.int64).reshape(total.shape)
    x = (total << headroom) >> 1
    result = _SUM_BITS - headroom
    for _ in range(20):
        x = (x.astype(np.uint64) * x.astype(np.uint64) >> np.uint64(30)).astype(np.int64)
        is_two_or_more = x >> 31
        x = x >> is_two_or_more
        result = result * 2 + is_two_or_more
    return result


def exponential(x: np.ndarray) -> np.ndarray:
    """exp(x / 2**26) for int x <= 0, in units of 2**-31 (gemmlowp's exp_on_negative_values with 5 integer bits)."""
    fraction_bits = 31 - _INTEGER_BITS
    quarter = 1 << (fraction_bits - 2)
    below_quarter = (x & (quarter - 1)) - quarter
    result = _exponential_near_zero(below_quarter << _INTEGER_BITS)
    remainder = below_quarter - x
    for exponent, factor in enumerate((1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242), start=-2):
        scaled = rounding_doubling_high_multiply(result, factor)  # factor = exp(-2**exponent) * 2**31
        result = np.where(remainder & (1 << (fraction_bits + exponent)), scaled, result)
    return np.where(x == 0, 2**31 - 1, result)


def _exponential_near_zero(a: np.ndarray) -> np.ndarray:
    """exp(a / 2**31) for a in [-2**29, 0), by the Taylor polynomial around -1/8."""
    x = a + (1 << 28)
    x2 = rounding_doubling_high_multiply(x, x)
    x3 = rounding_doubling_high_multiply(x2, x)
    x4_over_4 = rounding_divide_by_power_of_two(rounding_doubling_high_multiply(x2, x2), 2)
    third = rounding_doubling_high_multiply(x4_over_4 + x3, 715827883)
    tail = rounding_divide_by_power_of_two(third + x2, 1)
    exp_minus_eighth = 1895147668
    return np.minimum(exp_minus_eighth + rounding_doubling_high_multiply(exp_minus_eighth, x + tail), 2**31 - 1)


def reciprocal(total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(r, s) with 2**19 / total = r * 2**-31 * 2**-s and r in [2**30, 2**31): the inverse of a sum with 12 integer bits."""
    headroom = 32 - np.array([int(value).bit_length() for value in total.reshape(-1)], np.int64).reshape(total.shape)
    fraction = (total << headroom) - (1 << 31)
    half_denominator = (fraction + (2**31 - 1) + 1) // 2
    x = 1515870810 + rounding_doubling_high_multiply(half_denominator, -1010580540)  # 48/17 - 32/17 d, 2 integer bits
    for _ in range(3):
        error = (1 << 29) - rounding_doubling_high_multiply(half_denominator, x)
        x = x + _saturating_double(_saturating_double(rounding_doubling_high_multiply(x, error)))
    return _saturating_double(x), _SUM_BITS - headroom


def _saturating_double(x: np.ndarray) -> np.ndarray:
    return np.clip(x * 2, -(2**31), 2**31 - 1)


class _SoftmaxS8:
    name = "softmax"

    def kernel(self, call: Call, tier: Tier) -> str:
        source, result, attributes = call.inputs[0], call.outputs[0], call.attributes
        if source.dtype != "int8" or result.dtype != "int8" or source.shape != result.shape or not source.shape:
            raise UnsupportedError(f"{self.name} needs int8 input and output of one shape")
        axis, rank = attributes.get("axis", -1), len(source.shape)
        if not -rank <= axis < rank:
            raise UnsupportedError(f"{self.name}: no axis {axis} in {list(source.shape)}")
        if not 1 <= source.shape[axis] <= LARGEST_DEPTH:
            raise UnsupportedError(f"{self.name}: a row has {source.shape[axis]} elements, not 1 to {LARGEST_DEPTH}")
        if not (2**30 <= attributes["input_multiplier"] < 2**31 and 0 <= attributes["input_shift"] <= 31):
            raise UnsupportedError(f"{self.name}: the input's factor is out of range")
        largest = -attributes["diff_min"]
        if not 0 <= largest << attributes["input_shift"] < 2**31:
            raise UnsupportedError(f"{self.name}: diff_min is out of range")
        return f"{self.name}_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        return SOFTMAX_PARAMS.pack(self._fields(call, tier))

    def _fields(self, call: Call, tier: Tier) -> dict[str, int]:
        self.kernel(call, tier)
        outer, depth, inner = self._sizes(call)
        return {
            "outer": outer,
            "depth": depth,
            "inner": inner,
            "input_multiplier": call.attributes["input_multiplier"],
            "input_shift": call.attributes["input_shift"],
            "diff_min": max(call.attributes["diff_min"], -256),
        }

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A row may overwrite itself; of rows that interlace the last element must not reach the first of the next."""
        _, depth, inner = self._sizes(call)
        return 0 if inner == 1 else (depth - 1) * inner

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        counts, exponentials, total = self._exponentials(call, inputs[0])
        inverse, bits = reciprocal(total)
        products = rounding_doubling_high_multiply(inverse, exponentials)
        shifted = rounding_divide_by_power_of_two(products, bits + 31 - 8) - 128
        return [np.where(counts, np.clip(shifted, -128, 127), -128).astype(np.int8)]

    @staticmethod
    def _exponentials(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which elements count, their exponentials in units of 2**-31, and the sums of these in units of 2**-19."""
        attributes = call.attributes
        axis = attributes.get("axis", -1)
        difference = x.astype(np.int64) - x.max(axis=axis, keepdims=True)
        counts = difference >= attributes["diff_min"]
        scaled = rounding_doubling_high_multiply(
            np.where(counts, difference, 0) << attributes["input_shift"], attributes["input_multiplier"]
        )
        exponentials = exponential(scaled)
        terms = np.where(counts, rounding_divide_by_power_of_two(exponentials, _SUM_BITS), 0)
        return counts, exponentials, terms.sum(axis=axis, keepdims=True)

    @staticmethod
    def _sizes(call: Call) -> tuple[int, int, int]:
        """(outer, depth, inner)"""
        shape = call.inputs[0].shape
        axis = call.attributes.get("axis", -1) % len(shape)
        return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])

    def macs(self, call: Call) -> int:
        return 0


class _LogSoftmaxS8(_SoftmaxS8):
    name = "log_softmax"

    def pack(self, call: Call, tier: Tier) -> bytes:
        attributes = call.attributes
        return LOG_SOFTMAX_PARAMS.pack(
            self._fields(call, tier)
            | {
                "difference_step": attributes["difference_step"],
                "logarithm_multiplier": attributes["logarithm_multiplier"],
                "logarithm_right_shift": min(-attributes["logarithm_shift"], 31),
                "output_zero_point": attributes["output_zero_point"],
            }
        )

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes, x = call.attributes, inputs[0].astype(np.int64)
        _, _, total = self._exponentials(call, inputs[0])
        scaled = requantise(logarithm(total) << 7, attributes["logarithm_multiplier"], attributes["logarithm_shift"])
        difference = x - x.max(axis=attributes.get("axis", -1), keepdims=True)
        steps = (difference * attributes["difference_step"] - scaled + 2**12) >> 13
        return [np.clip(steps + attributes["output_zero_point"], -128, 127).astype(np.int8)]


OPERATORS = tuple(ByDtype(*forms) for forms in zip((_SoftmaxS8(), _LogSoftmaxS8()), softmax_f32.OPERATORS, strict=True))
