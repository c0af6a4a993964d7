"""Per-channel constants of convolutions and linear layers: folding, range proofs, and the records kernels walk through.

The fast kernels requantise in a form that saves instructions and holds under conditions which `Channels.is_narrow` proves for
every channel of a call at compile time; calls outside them are served by the `general` kernels.
"""

import dataclasses

import numpy as np

from kernels.operator import Call, UnsupportedError
from kernels.requantise import INT32_MAX, requantise


@dataclasses.dataclass(frozen=True)
class Channels:
    """Output channels after folding the input's zero point: accumulator = bias + sum(weights * x), x as stored."""

    weights: np.ndarray  # int8 [O, K], K = taps one output reads
    bias: np.ndarray  # int64 [O], holds int32
    multiplier: np.ndarray  # int64 [O], 0 or [2**30, 2**31)
    shift: np.ndarray  # int64 [O]; factor = multiplier * 2**(shift - 31)
    output_zero_point: int
    activation_min: int
    activation_max: int

    @classmethod
    def of(cls, call: Call, weights: np.ndarray) -> "Channels":
        """Folds the zero point of a call's input into its bias; `weights` is [O, K].

        Raises UnsupportedError if an attribute is out of range or an accumulator could overflow int32.
        """
        attributes = call.attributes
        weights = np.asarray(weights)
        channels = weights.shape[0]
        bias, multiplier, shift = (
            np.broadcast_to(np.asarray(attributes[name], np.int64), (channels,)) for name in ("bias", "multiplier", "shift")
        )
        if weights.dtype != np.int8:
            raise UnsupportedError(f"{call.operator} needs int8 weights")
        if ((multiplier != 0) & ((multiplier < 2**30) | (multiplier > INT32_MAX))).any():
            raise UnsupportedError(f"{call.operator}: a multiplier is neither 0 nor in [2^30, 2^31)")
        if (shift > 30).any() or (shift < -100).any():
            raise UnsupportedError(f"{call.operator}: a requantisation shift is outside [-100, 30]")
        zero_point = int(attributes["input_zero_point"])
        output_zero_point, low, high = (int(attributes[n]) for n in ("output_zero_point", "activation_min", "activation_max"))
        result = np.iinfo(call.outputs[0].dtype)
        if not (-128 <= zero_point <= 127 and result.min <= output_zero_point <= result.max and result.min <= low <= high <= result.max):
            dtypes = "int8" if result.bits == 8 else f"int8 or {result.dtype}"
            raise UnsupportedError(f"{call.operator}: a zero point or activation bound is outside {dtypes}")
        folded = cls(
            weights=weights,
            bias=bias - zero_point * weights.sum(axis=1, dtype=np.int64),
            multiplier=multiplier,
            shift=np.where(multiplier == 0, 0, shift),
            output_zero_point=output_zero_point,
            activation_min=low,
            activation_max=high,
        )
        folded._refuse_overflow(call.operator)
        return folded._constants_replaced()

    def _refuse_overflow(self, operator: str) -> None:
        largest = self.largest_accumulator << np.maximum(self.shift, 0)
        if (largest > INT32_MAX - 256).any():
            channel = int(np.argmax(largest))
            raise UnsupportedError(f"{operator}: the accumulator of output channel {channel} could overflow int32")

    @property
    def largest_accumulator(self) -> np.ndarray:
        """Bound of |accumulator| after any number of its terms, int64 [O]."""
        return np.abs(self.bias) + 128 * np.abs(self.weights.astype(np.int64)).sum(axis=1)

    def _constants_replaced(self) -> "Channels":
        """Channels that can give one output only (dead ones, often with extreme factors) get no weights and a tame factor.

        With factor 1/4, the bias 4 * (value - zero point) requantises to exactly that value.
        """
        weights = self.weights.astype(np.int64)
        lowest = self.bias + np.minimum(weights * 127, weights * -128).sum(axis=1)
        highest = self.bias + np.maximum(weights * 127, weights * -128).sum(axis=1)
        low, high = (
            np.clip(
                requantise(x, self.multiplier, self.shift) + self.output_zero_point, self.activation_min, self.activation_max
            )
            for x in (lowest, highest)
        )
        constant = low == high
        return dataclasses.replace(
            self,
            weights=np.where(constant[:, None], 0, self.weights).astype(np.int8),
            bias=np.where(constant, 4 * (low - self.output_zero_point), self.bias),
            multiplier=np.where(constant, 2**30, self.multiplier),
            shift=np.where(constant, -1, self.shift),
        )

    @property
    def is_narrow(self) -> bool:
        """Weights are at least -127, each factor is below 1/2 (n = -shift >= 1), and neither 2 * accumulator nor
        accumulator + (2 * zero point + 1) * 2**(n - 1) can overflow int32.

        Then  y = (accumulator * multiplier / 2**31, rounded half up,
                   + (2 * zero point + 1) * 2**(n - 1) - [accumulator < 0]) >> n
        equals requantise(accumulator) + zero point: the bracket turns rounding half up into half away from zero.
        """
        right = -self.shift
        if self.weights.min(initial=0) < -127 or (right < 1).any() or (right > 23).any():
            return False
        offset = (2 * abs(self.output_zero_point) + 1) << (right - 1)
        largest = self.largest_accumulator
        return bool((2 * largest <= INT32_MAX).all() and (largest + offset <= INT32_MAX).all())

    @property
    def segment(self) -> int:
        """Taps whose products add up to less than 2**22 in every channel, whatever the inputs: all, given as 2**31 - 1, or 256
        where weights are as large as they can be (at least -127)."""
        return INT32_MAX if np.abs(self.weights.astype(np.int64)).sum(axis=1).max(initial=0) * 128 < 2**22 else 256

    def padded(self, multiple: int) -> "Channels":
        """With channels that compute 0 appended, up to a multiple."""
        extra = -len(self.bias) % multiple
        return dataclasses.replace(
            self,
            weights=np.pad(self.weights, ((0, extra), (0, 0))),
            bias=np.pad(self.bias, (0, extra)),
            multiplier=np.pad(self.multiplier, (0, extra)),
            shift=np.pad(self.shift, (0, extra), constant_values=-1),
        )

    def selected(self, index: slice) -> "Channels":
        """Some of the channels, in order."""
        return dataclasses.replace(
            self,
            weights=self.weights[index],
            bias=self.bias[index],
            multiplier=self.multiplier[index],
            shift=self.shift[index],
        )

    def pair_records(self, tier: str) -> bytes:
        """For scalar and DSP kernels, per two channels: twice the bias int32[2], multiplier int32[2], right shift - 1 uint8[2], weights
        int8[K rounded up to 4][2] with zeros behind K, zeros up to a multiple of 4 bytes.

        DSP: the zeros come before the weights, which are in each four int8[4][2] those of taps 0, 2, 1, 3, the second less 1 where the
        first is negative: the 16 bits of both are first + 256 * second.
        """
        channels, records = self.padded(2), bytearray()
        weights = np.pad(channels.weights, ((0, 0), (0, -channels.weights.shape[1] % 4)))
        if tier == "dsp":
            weights[1::2] -= (weights[0::2] < 0).astype(np.int8)  # no weight is below -127
            weights = weights.reshape(len(weights), -1, 2, 2).swapaxes(2, 3).reshape(weights.shape)
        for first in range(0, len(channels.bias), 2):
            pair = channels.selected(slice(first, first + 2))
            records += (2 * pair.bias).astype("<i4").tobytes() + pair.multiplier.astype("<i4").tobytes()
            records += (-pair.shift - 1).astype(np.uint8).tobytes()
            zeros, pairs = bytes(-len(records) % 4), np.ascontiguousarray(weights[first : first + 2].T).tobytes()
            records += zeros + pairs if tier == "dsp" else pairs + zeros
        return bytes(records)

    def quad_records(self) -> bytes:
        """For MVE kernels of one row, per four channels: bias int32[4], multiplier int32[4], shift int8[4] (negative),
        weights int8[ceil(K / 16)][4][16], zeros behind K."""
        channels, records = self.padded(4), bytearray()
        depth = channels.weights.shape[1]
        weights = np.pad(channels.weights, ((0, 0), (0, -depth % 16)))
        for first in range(0, len(channels.bias), 4):
            quad = channels.selected(slice(first, first + 4))
            records += quad.bias.astype("<i4").tobytes() + quad.multiplier.astype("<i4").tobytes()
            records += quad.shift.astype(np.int8).tobytes()
            records += np.ascontiguousarray(weights[first : first + 4].reshape(4, -1, 16).transpose(1, 0, 2)).tobytes()
        return bytes(records)

    def tile_records(self) -> bytes:
        """For MVE kernels of many pixels, per four channels: weights int8[2 pairs][ceil(K / 16)][2][16], zeros behind K, bias int32[4],
        multiplier int32[4], shift int8[4] (negative)."""
        channels, records = self.padded(4), bytearray()
        weights = np.pad(channels.weights, ((0, 0), (0, -channels.weights.shape[1] % 16)))
        for first in range(0, len(channels.bias), 4):
            quad = channels.selected(slice(first, first + 4))
            records += np.ascontiguousarray(weights[first : first + 4].reshape(2, 2, -1, 16).transpose(0, 2, 1, 3)).tobytes()
            records += quad.bias.astype("<i4").tobytes() + quad.multiplier.astype("<i4").tobytes()
            records += quad.shift.astype(np.int8).tobytes()
        return bytes(records)

    def records(self, tier: str) -> bytes:
        """For tiles (kernels/conv2d/tile.h)."""
        return self.tile_records() if tier == "mve" else self.pair_records(tier)

    def general_arrays(self) -> dict[str, bytes]:
        """For general kernels: weights int8[O][K], bias int32[O], multiplier int32[O], shift int8[O] (left if positive)."""
        return {
            "weights": np.ascontiguousarray(self.weights).tobytes(),
            "bias": self.bias.astype("<i4").tobytes(),
            "multiplier": self.multiplier.astype("<i4").tobytes(),
            "shift": np.maximum(self.shift, -31).astype(np.int8).tobytes(),
        }


def finish(accumulator: np.ndarray, call: Call) -> np.ndarray:
    """Reference: requantises accumulators whose last axis is the channel, adds the zero point, clamps."""
    attributes = call.attributes
    scaled = requantise(accumulator, attributes["multiplier"], attributes["shift"]) + attributes["output_zero_point"]
    return np.clip(scaled, attributes["activation_min"], attributes["activation_max"]).astype(call.outputs[0].dtype)
