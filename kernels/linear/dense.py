"""What linear layers of int8 have in common, whatever their results are: their reference, and how weights lie for dot.h."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from kernels.channels import Channels, finish
from kernels.operator import Call, Tier, UnsupportedError


def four_records(channels: Channels, tier: Tier) -> bytes:
    """Per four channels: bias int32[4], multiplier int32[4], right shift uint8[4] (DSP: less 1, MVE: int8, negative), weights; behind the last of
    K inputs there are others up to a multiple of 4 (MVE 16) inputs, which count for nothing. dot.h and its tiers' headers say why so.

    Weights: scalar uint8[K4][channels 0, 3, 2, 1], 128 more than they are, as the inputs will be, whence the bias is less 128 times
    their sum; DSP uint8[K4 / 4][inputs 0 and 2, 1 and 3][channels 0 and 1, 2 and 3][2 inputs][2 channels], channels 0 and 2 with 128
    more than they are; MVE int8[K16 / 16][4 channels][16].
    """
    if tier == "mve":
        return channels.quad_records()
    channels, records = channels.padded(4), bytearray()
    sums = channels.weights.sum(axis=1, dtype=np.int64)
    if tier == "scalar":
        channels = dataclasses.replace(channels, bias=channels.bias - 128 * sums)
    offset = np.full(4, 128) if tier == "scalar" else np.array([128, 0, 128, 0])
    weights = np.pad(channels.weights, ((0, 0), (0, -channels.weights.shape[1] % 4)))
    for first in range(0, len(channels.bias), 4):
        four = channels.selected(slice(first, first + 4))
        records += four.bias.astype("<i4").tobytes() + four.multiplier.astype("<i4").tobytes()
        records += (-four.shift - (tier == "dsp")).astype(np.uint8).tobytes()
        block = weights[first : first + 4] + offset[:, None]
        if tier == "scalar":
            block = block[[0, 3, 2, 1]].T
        else:  # from [channels / 2][2][K4 / 4][inputs / 2][2]
            block = block.reshape(2, 2, -1, 2, 2).transpose(2, 4, 0, 3, 1)
        records += block.astype(np.uint8).tobytes()
    return bytes(records)


def row_bytes(depth: int, tier: Tier) -> int:
    """Scratch for a row of inputs as prepare_row of dot.h leaves it."""
    step, input_bytes = {"scalar": (4, 1), "dsp": (4, 2), "mve": (16, 1)}[tier]
    return -(-depth // step) * step * input_bytes


class Dense:
    """[..., I] of int8 -> [..., O] of `result`."""

    name = "linear"
    result = "int8"

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        centred = inputs[0].astype(np.float64) - attributes["input_zero_point"]  # float64 is exact here
        products = centred @ attributes["weight"].astype(np.float64).T
        return [finish(products.astype(np.int64) + attributes["bias"], call)]

    def macs(self, call: Call) -> int:
        return self.rows(call) * int(np.prod(call.attributes["weight"].shape))

    def rows(self, call: Call) -> int:
        return int(np.prod(call.inputs[0].shape[:-1], dtype=np.int64))

    def channels(self, call: Call) -> Channels:
        weight, (source,), (result,) = call.attributes["weight"], call.inputs, call.outputs
        if weight.ndim != 2 or source.shape[-1:] != weight.shape[1:] or result.shape != source.shape[:-1] + weight.shape[:1]:
            raise UnsupportedError(f"linear: weight {weight.shape} does not fit input {source.shape} and output {result.shape}")
        if source.dtype != "int8" or result.dtype != self.result:
            raise UnsupportedError(f"linear needs int8 input and {self.result} output")
        if max(weight.shape) >= 2**15:
            raise UnsupportedError("linear: a size is 32768 or more")
        return Channels.of(call, weight)
