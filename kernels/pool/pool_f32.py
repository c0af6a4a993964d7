"""avg_pool2d and max_pool2d of float32, NHWC.

    avg_pool2d   the sum of the taps inside the image, in order of rows and columns, each sum rounded to float32, divided by the number
                 of taps that count
    max_pool2d   the largest tap inside the image; not a number if one of them is none

Attributes of a call: kernel, stride, padding, dilation, count_include_pad as for int8; activation_min, activation_max, real numbers, or
-infinity and infinity.

Kernels: avg_pool2d_f32, max_pool2d_f32. An average of n taps is within (n + 1) * 2**-24 of their largest magnitude.
"""

from collections.abc import Sequence

import numpy as np

from kernels.float_math import clamped, greater
from kernels.floats import ACTIVATION, ITEMSIZE, FloatOperator, activation, require_float
from kernels.operator import Call, Tier
from kernels.overlap import pixel_lead
from kernels.params import Field, ParamsStruct
from kernels.pool.geometry import counted_taps, counted_values, geometry_values, inside_taps, pool_window
from kernels.signature import KernelSignature
from kernels.window import Window
from kernels.window_fields import DILATION, channelwise

AVERAGE_F32_PARAMS = ParamsStruct(
    "AvgPool2dF32Params",
    "An average pool of floats.",
    channelwise("channels")
    + (
        Field("counted_height", "std::uint16_t", "rows from the first input row on that count; input_height without count_include_pad"),
        Field("counted_width", "std::uint16_t", "columns alike"),
        Field("count_include_pad", "std::uint32_t", "1 or 0"),
    )
    + ACTIVATION,
)

MAX_F32_PARAMS = ParamsStruct(
    "MaxPool2dF32Params",
    "A maximum pool of floats.",
    channelwise("channels")
    + DILATION
    + (
    )
    + ACTIVATION,
)

PARAMS = (AVERAGE_F32_PARAMS, MAX_F32_PARAMS)

KERNELS = tuple(
    KernelSignature(f"{name}_f32", ("float",), params.name, False, ("float",), "kernels/pool/pool_f32.h", rank=4)
    for name, params in (("avg_pool2d", AVERAGE_F32_PARAMS), ("max_pool2d", MAX_F32_PARAMS))
)


class _PoolF32(FloatOperator):
    name: str

    def kernel(self, call: Call, tier: Tier) -> str:
        self._window(call)
        activation(call)
        return f"{self.name}_f32"

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        batches, channels = call.inputs[0].shape[0], call.inputs[0].shape[3]
        return ITEMSIZE * pixel_lead(self._window(call), batches, channels, channels, reads_pixel_first=False)

    def macs(self, call: Call) -> int:
        return int(np.prod(call.outputs[0].shape)) * int(np.prod(call.attributes["kernel"]))

    def _window(self, call: Call) -> Window:
        require_float(call)
        return pool_window(call)


class AvgPool2dF32(_PoolF32):
    name = "avg_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        return AVERAGE_F32_PARAMS.pack(geometry_values(call, window) | counted_values(call, window) | activation(call))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        window = self._window(call)
        count = counted_taps(window, call.attributes["count_include_pad"]).sum(axis=(3, 4))[..., None]
        total = _combined(window, inputs[0], np.float32(0), np.add)
        return [clamped(total / count.astype(np.float32), *activation(call).values())]


class MaxPool2dF32(_PoolF32):
    name = "max_pool2d"

    def pack(self, call: Call, tier: Tier) -> bytes:
        window = self._window(call)
        dilation = window.dilation_fields()
        return MAX_F32_PARAMS.pack(geometry_values(call, window) | dilation | activation(call))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [clamped(_combined(self._window(call), inputs[0], np.float32(-np.inf), greater), *activation(call).values())]


def _combined(window: Window, x: np.ndarray, start: np.float32, combine) -> np.ndarray:
    """The taps inside the image, one after the other."""
    patches, inside = window.patches(x, 0), inside_taps(window)[..., None]
    result = np.full((*patches.shape[:3], patches.shape[5]), start)
    for ky, kx in np.ndindex(*window.kernel):
        result = np.where(inside[:, :, :, ky, kx], combine(result, patches[:, :, :, ky, kx]), result)
    return result


OPERATORS = (AvgPool2dF32(), MaxPool2dF32())
