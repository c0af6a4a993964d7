"""avg_pool2d and max_pool2d, NHWC, int8; input and output share scale and zero point. Of float32 see pool_f32.py, of windows that differ
in size adaptive.py.

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

from collections.abc import Sequence

import numpy as np

from kernels.by_dtype import ByDtype
from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import pixel_lead
from kernels.params import Field, ParamsStruct
from kernels.pool import adaptive, pool_f32
from kernels.pool.geometry import counted_taps, counted_values, geometry_values, pool_window, rounded_quotient
from kernels.signature import KernelSignature
from kernels.window import Window
from kernels.window_fields import DILATION, channelwise

AVERAGE_PARAMS = ParamsStruct(
    "AvgPool2dParams",
    "An average pool.",
    channelwise("channels")
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
    channelwise("channels")
    + DILATION
    + (
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
        Field("unused", "std::uint16_t", "0"),
    ),
)

PARAMS = (AVERAGE_PARAMS, MAX_PARAMS, *pool_f32.PARAMS, *adaptive.PARAMS)

KERNELS = tuple(
    KernelSignature(f"{name}_s8", ("std::int8_t",), params.name, False, ("std::int8_t",), "kernels/pool/pool.h", rank=4)
    for name, params in (("avg_pool2d", AVERAGE_PARAMS), ("max_pool2d", MAX_PARAMS))
) + (*pool_f32.KERNELS, *adaptive.KERNELS)


class _PoolS8:
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
        if any(tensor.dtype != "int8" for tensor in (call.inputs[0], call.outputs[0])):
            raise UnsupportedError(f"{self.name} needs int8 input and output")
        window = pool_window(call)
        if not -128 <= call.attributes["activation_min"] <= call.attributes["activation_max"] <= 127:
            raise UnsupportedError(f"{self.name}: an activation bound is outside int8")
        return window

    @staticmethod
    def _values(call: Call, window: Window) -> dict[str, int]:
        bounds = {key: call.attributes[key] for key in ("activation_min", "activation_max")}
        return geometry_values(call, window) | bounds


class _AvgPool2dS8(_PoolS8):
    name = "avg_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        zero_point = {"zero_point": call.attributes["zero_point"]}
        return AVERAGE_PARAMS.pack(self._values(call, window) | counted_values(call, window) | zero_point)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        window, attributes = self._window(call), call.attributes
        counted = counted_taps(window, attributes["count_include_pad"])[..., None]
        patches = window.patches(inputs[0], attributes["zero_point"]).astype(np.int64)
        average = rounded_quotient((patches * counted).sum(axis=(3, 4)), counted.sum(axis=(3, 4)))
        return [np.clip(average, attributes["activation_min"], attributes["activation_max"]).astype(np.int8)]


class _MaxPool2dS8(_PoolS8):
    name = "max_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        values = self._values(call, window) | {
            **window.dilation_fields(),
            "unused": 0,
        }
        return MAX_PARAMS.pack(values)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        largest = self._window(call).patches(inputs[0], -128).max(axis=(3, 4))
        return [np.clip(largest, call.attributes["activation_min"], call.attributes["activation_max"])]


OPERATORS = tuple(ByDtype(*forms) for forms in zip((_AvgPool2dS8(), _MaxPool2dS8()), pool_f32.OPERATORS)) + (adaptive.OPERATOR,)
