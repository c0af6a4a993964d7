"""transposed_conv2d: a convolution over an input whose pixels are spread apart, NHWC, int8; of float32 see transposed_conv2d_f32.py.

PyTorch's conv_transpose2d of stride s, padding p and dilation d is this with spread s, the weights turned by half a turn, and
padding d * (kernel - 1) - p.

Attributes of a call:
    weight             int8 [O, KH, KW, I / groups], symmetric, as that of conv2d
    spread             (height, width): between neighbouring input pixels lie spread - 1 that are real zeros
    padding            (top, left, bottom, right) of real zeros around all this; negative: cut off
    dilation           (height, width); the stride is 1
    groups, bias, multiplier, shift, input_zero_point, output_zero_point, activation_min, activation_max   as for conv2d

Output rows that are `spread` apart meet the same taps of the kernel, and so do columns: each such phase is a convolution of stride 1 over
the input as it is, with the taps it meets for its kernel. Nothing is multiplied by the zeros between.

Kernels:
    transposed_conv2d_s8
    conv2d_general_s8      for factors and accumulators the other excludes (`Channels.is_narrow`); slow
"""

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.channels import Channels
from kernels.conv2d import conv2d
from kernels.operator import Call, Tier
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature
from kernels.transposed_conv2d import transposed_conv2d_f32
from kernels.transposed_conv2d.spread import convolution_over_spread, row_lead, spread_apart

TRANSPOSED_CONV2D_PARAMS = ParamsStruct(
    "TransposedConv2dParams",
    "A transposed convolution. Phases are int16 pairs: taps, the input's row or column of the first tap of the phase's first output.",
    (
        Field("batches", "std::uint16_t", ""),
        Field("input_height", "std::uint16_t", ""),
        Field("input_width", "std::uint16_t", ""),
        Field("input_channels", "std::uint16_t", "all groups together"),
        Field("output_height", "std::uint16_t", ""),
        Field("output_width", "std::uint16_t", ""),
        Field("output_channels", "std::uint16_t", "all groups together"),
        Field("groups", "std::uint16_t", ""),
        Field("spread_height", "std::uint16_t", "phases of rows"),
        Field("spread_width", "std::uint16_t", "phases of columns"),
        Field("dilation_height", "std::uint16_t", "input rows between taps"),
        Field("dilation_width", "std::uint16_t", ""),
        Field("segment", "std::uint32_t", "as in Conv2dParams"),
        Field("input_zero_point", "std::int8_t", "what taps outside the image read"),
        Field("output_zero_point", "std::int8_t", ""),
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
    ),
    (
        Array("row_phases", "std::int16_t", "[spread_height][2]"),
        Array("column_phases", "std::int16_t", "[spread_width][2]"),
        Array("channels", "std::uint8_t", "Records (kernels/channels.py) of each phase of rows and columns, in it of each group."),
    ),
)

PARAMS = (TRANSPOSED_CONV2D_PARAMS,)

KERNELS = (
    KernelSignature(
        "transposed_conv2d_s8",
        ("std::int8_t",),
        TRANSPOSED_CONV2D_PARAMS.name,
        True,
        ("std::int8_t",),
        "kernels/transposed_conv2d/transposed_conv2d.h",
        rank=4,
    ),
    transposed_conv2d_f32.KERNEL,
)


@dataclasses.dataclass(frozen=True)
class Phase:
    """Outputs first, first + spread, ... along an axis: they meet the kernel's `taps`, the first of which is, for the first output, at
    `start` in the input. A phase that meets none has one tap that counts for nothing, None."""

    taps: tuple[int | None, ...]
    start: int

    @classmethod
    def of(cls, first: int, kernel: int, spread: int, dilation: int, padding: int) -> "Phase":
        taps = [tap for tap in range(kernel) if (first - padding + tap * dilation) % spread == 0]
        return cls(tuple(taps), (first - padding + taps[0] * dilation) // spread) if taps else cls((None,), 0)


class _TransposedConv2dS8:
    name = "transposed_conv2d"

    def kernel(self, call: Call, tier: Tier) -> str:
        return "transposed_conv2d_s8" if self._channels(call).is_narrow else "conv2d_general_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        channels, attributes = self._channels(call), call.attributes
        batches, height, width, input_channels = call.inputs[0].shape
        _, output_height, output_width, output_channels = call.outputs[0].shape
        common = {
            "batches": batches,
            "input_height": height,
            "input_width": width,
            "input_channels": input_channels,
            "output_height": output_height,
            "output_width": output_width,
            "output_channels": output_channels,
            "groups": attributes["groups"],
            "spread_height": attributes["spread"][0],
            "spread_width": attributes["spread"][1],
            "input_zero_point": attributes["input_zero_point"],
            "output_zero_point": channels.output_zero_point,
            "activation_min": channels.activation_min,
            "activation_max": channels.activation_max,
        }
        if not channels.is_narrow:
            kernel, dilation, padding = attributes["weight"].shape[1:3], attributes["dilation"], attributes["padding"]
            window = {
                "kernel_height": kernel[0],
                "kernel_width": kernel[1],
                "stride_height": 1,
                "stride_width": 1,
                "dilation_height": dilation[0],
                "dilation_width": dilation[1],
                "pad_top": padding[0],
                "pad_left": padding[1],
            }
            return conv2d.GENERAL_PARAMS.pack(common | window, channels.general_arrays())
        rows, columns = self._phases(call, 0), self._phases(call, 1)
        steps = [d // math.gcd(d, s) for d, s in zip(attributes["dilation"], attributes["spread"])]
        per_group = output_channels // attributes["groups"]
        records = b"".join(
            self._phase_channels(call, channels, row, column).selected(slice(first, first + per_group)).records(tier)
            for row, column in itertools.product(rows, columns)
            for first in range(0, output_channels, per_group)
        )
        fields = {"dilation_height": steps[0], "dilation_width": steps[1], "segment": channels.segment}
        return TRANSPOSED_CONV2D_PARAMS.pack(
            common | fields, {"row_phases": _pairs(rows), "column_phases": _pairs(columns), "channels": records}
        )

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        if not self._channels(call).is_narrow:
            return 0
        taps = [max(len(phase.taps) for phase in self._phases(call, axis)) for axis in (0, 1)]
        return conv2d.tile_bytes(taps[0] * taps[1] * call.attributes["weight"].shape[3], tier)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return row_lead(call)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        self._channels(call)
        image = spread_apart(call, inputs[0], call.attributes["input_zero_point"])
        return conv2d.OPERATOR.int8.reference(convolution_over_spread(call), [image])

    def macs(self, call: Call) -> int:
        """Of the taps that meet a pixel or the padding around all of them, not those between."""
        per_pixel = call.outputs[0].shape[3] * call.attributes["weight"].shape[3]
        met = [
            sum(
                sum(tap is not None for tap in self._phases(call, axis)[o % call.attributes["spread"][axis]].taps)
                for o in range(call.outputs[0].shape[axis + 1])
            )
            for axis in (0, 1)
        ]
        return call.outputs[0].shape[0] * met[0] * met[1] * per_pixel

    def _phases(self, call: Call, axis: int) -> list[Phase]:
        a = call.attributes
        kernel, spread = a["weight"].shape[1 + axis], a["spread"][axis]
        return [Phase.of(first, kernel, spread, a["dilation"][axis], a["padding"][axis]) for first in range(spread)]

    def _phase_channels(self, call: Call, channels: Channels, rows: Phase, columns: Phase) -> Channels:
        """Of the taps that a phase meets. The others would read the zero point, so their share goes to the bias."""
        weight = channels.weights.reshape(call.attributes["weight"].shape)
        met = np.zeros_like(weight, bool)
        met[np.ix_(range(len(weight)), _real(rows), _real(columns))] = True
        rest = np.where(met, 0, weight).reshape(len(weight), -1).sum(axis=1, dtype=np.int64)
        chosen = weight[:, [tap or 0 for tap in rows.taps]][:, :, [tap or 0 for tap in columns.taps]]
        if None in rows.taps + columns.taps:
            chosen = np.zeros_like(chosen)
        return dataclasses.replace(
            channels,
            weights=chosen.reshape(len(weight), -1),
            bias=channels.bias + rest * call.attributes["input_zero_point"],
        )

    def _channels(self, call: Call) -> Channels:
        """Bounds hold for each phase: its accumulators are those of the whole kernel for inputs at the zero point elsewhere."""
        convolution = convolution_over_spread(call)
        return conv2d.OPERATOR.int8.channels(convolution)


def _real(phase: Phase) -> list[int]:
    return [tap for tap in phase.taps if tap is not None]


def _pairs(phases: Sequence[Phase]) -> bytes:
    return np.array([(len(phase.taps), phase.start) for phase in phases], "<i2").tobytes()


OPERATOR = ByDtype(_TransposedConv2dS8(), transposed_conv2d_f32.OPERATOR)
