"""avg_pool2d and max_pool2d, NHWC, int8; input and output share scale and zero point.

Attributes of a call:
    kernel, stride     (height, width)
    padding            (top, left, bottom, right); the output's size may be that of floor or of ceil mode
    dilation           (height, width), max_pool2d only
    count_include_pad  bool, avg_pool2d only: padding counts as real zeros (the zero point); taps that hang over the padding
                       in ceil mode never count
    zero_point, activation_min, activation_max

An average is the sum of stored values over their count, rounded half away from zero, as in TensorFlow Lite.

Kernels: avg_pool2d_s8, max_pool2d_s8
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import pixel_lead
from kernels.params import Field, ParamsStruct
from kernels.signature import KernelSignature
from kernels.window import Window

_GEOMETRY = (
    Field("batches", "std::uint16_t", ""),
    Field("input_height", "std::uint16_t", ""),
    Field("input_width", "std::uint16_t", ""),
    Field("channels", "std::uint16_t", ""),
    Field("output_height", "std::uint16_t", ""),
    Field("output_width", "std::uint16_t", ""),
    Field("kernel_height", "std::uint16_t", ""),
    Field("kernel_width", "std::uint16_t", ""),
    Field("stride_height", "std::uint16_t", ""),
    Field("stride_width", "std::uint16_t", ""),
    Field("pad_top", "std::uint16_t", ""),
    Field("pad_left", "std::uint16_t", ""),
)

AVERAGE_PARAMS = ParamsStruct(
    "AvgPool2dParams",
    "An average pool.",
    _GEOMETRY
    + (
        Field(
            "counted_height",
            "std::uint16_t",
            "rows from the first input row on that count; input_height without count_include_pad",
        ),
        Field("counted_width", "std::uint16_t", "columns alike"),
        Field("count_include_pad", "std::uint8_t", "1 or 0"),
        Field("zero_point", "std::int8_t", "what padding counts as"),
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
    ),
)

MAX_PARAMS = ParamsStruct(
    "MaxPool2dParams",
    "A maximum pool.",
    _GEOMETRY
    + (
        Field("dilation_height", "std::uint16_t", ""),
        Field("dilation_width", "std::uint16_t", ""),
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
        Field("unused", "std::uint16_t", "0"),
    ),
)

PARAMS = (AVERAGE_PARAMS, MAX_PARAMS)

KERNELS = tuple(
    KernelSignature(f"{name}_s8", ("std::int8_t",), params.name, False, ("std::int8_t",), "kernels/pool/pool.h")
    for name, params in (("avg_pool2d", AVERAGE_PARAMS), ("max_pool2d", MAX_PARAMS))
)


def _inside(window: Window) -> np.ndarray:
    """Taps inside the input: bool [1, OH, OW, KH, KW]."""
    return window.patches(np.ones((1, *window.input_size, 1), bool), False)[..., 0]


class _Pool:
    name: str

    def kernel(self, call: Call, tier: Tier) -> str:
        self._window(call)
        return f"{self.name}_s8"

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        batches, channels = call.inputs[0].shape[0], call.inputs[0].shape[3]
        return pixel_lead(self._window(call), batches, channels, channels, reads_pixel_first=False)

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * int(np.prod(call.attributes["kernel"]))

    def _window(self, call: Call) -> Window:
        window = Window.of(call, call.attributes["kernel"])
        source, result = call.inputs[0], call.outputs[0]
        if source.dtype != "int8" or result.dtype != "int8":
            raise UnsupportedError(f"{self.name} needs int8 input and output")
        if source.shape[0] != result.shape[0] or source.shape[3] != result.shape[3]:
            raise UnsupportedError(f"{self.name}: output shape {result.shape} does not fit input shape {source.shape}")
        if max(*source.shape, *result.shape, *window.extent, *window.padding, *window.stride) >= 2**15:
            raise UnsupportedError(f"{self.name}: a size is 32768 or more")
        if int(np.prod(window.kernel)) >= 2**22:
            raise UnsupportedError(f"{self.name}: the window has 2^22 taps or more")
        if not -128 <= call.attributes["activation_min"] <= call.attributes["activation_max"] <= 127:
            raise UnsupportedError(f"{self.name}: an activation bound is outside int8")
        if not _inside(window).any(axis=(3, 4)).all():
            raise UnsupportedError(f"{self.name}: a window holds only padding")
        return window

    @staticmethod
    def _geometry(call: Call, window: Window) -> dict[str, int]:
        batches, height, width, channels = call.inputs[0].shape
        return {
            "batches": batches,
            "input_height": height,
            "input_width": width,
            "channels": channels,
            "output_height": window.output_size[0],
            "output_width": window.output_size[1],
            "kernel_height": window.kernel[0],
            "kernel_width": window.kernel[1],
            "stride_height": window.stride[0],
            "stride_width": window.stride[1],
            "pad_top": window.padding[0],
            "pad_left": window.padding[1],
            "activation_min": call.attributes["activation_min"],
            "activation_max": call.attributes["activation_max"],
        }


class AvgPool2d(_Pool):
    name = "avg_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        include = bool(call.attributes["count_include_pad"])
        values = self._geometry(call, window) | {
            "counted_height": window.input_size[0] + include * window.padding[2],
            "counted_width": window.input_size[1] + include * window.padding[3],
            "count_include_pad": include,
            "zero_point": call.attributes["zero_point"],
        }
        return AVERAGE_PARAMS.pack(values)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        window, attributes = self._window(call), call.attributes
        counted = self._counted(window, attributes["count_include_pad"])[..., None]
        patches = window.patches(inputs[0], attributes["zero_point"]).astype(np.int64)
        total, count = (patches * counted).sum(axis=(3, 4)), counted.sum(axis=(3, 4))
        half = count // 2
        average = np.where(total > 0, (total + half) // count, -((-total + half) // count))
        return [np.clip(average, attributes["activation_min"], attributes["activation_max"]).astype(np.int8)]

    @staticmethod
    def _counted(window: Window, include_pad: bool) -> np.ndarray:
        """Taps inside the input, or inside input and padding: bool [1, OH, OW, KH, KW]."""
        if not include_pad:
            return _inside(window)
        top, left, bottom, right = window.padding
        height, width = window.input_size
        padded_size = (height + top + bottom, width + left + right)
        return _inside(dataclasses.replace(window, padding=(0, 0, 0, 0), input_size=padded_size))


class MaxPool2d(_Pool):
    name = "max_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        values = self._geometry(call, window) | {
            "dilation_height": window.dilation[0],
            "dilation_width": window.dilation[1],
            "unused": 0,
        }
        return MAX_PARAMS.pack(values)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        largest = self._window(call).patches(inputs[0], -128).max(axis=(3, 4))
        return [np.clip(largest, call.attributes["activation_min"], call.attributes["activation_max"])]


OPERATORS = (AvgPool2d(), MaxPool2d())
