"""adaptive_avg_pool2d, NHWC: averages over the windows of kernels/adaptive_windows.py, which differ in size. Where all are of one size the
compiler makes it avg_pool2d.

    int8       input and output share scale and zero point; the sum over the count, rounded half away from zero
    float32    the sum in order of rows and columns, each sum rounded to float32, divided by the count

Attributes of a call: activation_min, activation_max; of float32 real numbers, or -infinity and infinity

Kernels: adaptive_avg_pool2d_s8, adaptive_avg_pool2d_f32. An average of n floats is within (n + 1) * 2**-24 of their largest magnitude.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernels.adaptive_windows import AdaptiveWindows
from kernels.by_dtype import ByDtype
from kernels.float_math import clamped
from kernels.floats import ACTIVATION, activation, require_float
from kernels.operator import Call, Tier, UnsupportedError
from kernels.overlap import lead_of_starts
from kernels.params import Field, ParamsStruct
from kernels.pool.geometry import rounded_quotient
from kernels.signature import KernelSignature

_NAME = "adaptive_avg_pool2d"
_SIZES = ("batches", "input_height", "input_width", "channels", "output_height", "output_width")
_FIELDS = tuple(Field(name, "std::uint16_t", "") for name in _SIZES)

_S8_PARAMS = ParamsStruct(
    "AdaptiveAvgPool2dParams",
    "An average pool over windows that differ in size.",
    (
        *_FIELDS,
        Field("activation_min", "std::int8_t", ""),
        Field("activation_max", "std::int8_t", ""),
        Field("unused", "std::uint16_t", "0"),
    ),
)

_F32_PARAMS = ParamsStruct("AdaptiveAvgPool2dF32Params", "The same of floats.", (*_FIELDS, *ACTIVATION))

PARAMS = (_S8_PARAMS, _F32_PARAMS)

KERNELS = (
    KernelSignature(f"{_NAME}_s8", ("std::int8_t",), _S8_PARAMS.name, False, ("std::int8_t",), "kernels/pool/pool.h"),
    KernelSignature(f"{_NAME}_f32", ("float",), _F32_PARAMS.name, False, ("float",), "kernels/pool/pool_f32.h"),
)


class _Adaptive:
    name = _NAME
    itemsize: int

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A window is read until the last channel of its pixel is written."""
        batches, *size, channels = call.inputs[0].shape
        starts = (np.array(windows.starts) for windows in self._windows(call))
        pixels = lead_of_starts(
            *starts, tuple(size), batches, input_channels=channels, output_channels=channels, reads_pixel_first=False
        )
        return self.itemsize * pixels

    def macs(self, call: Call) -> int:
        batches, *_, channels = call.outputs[0].shape
        return batches * channels * math.prod(sum(windows.sizes) for windows in self._windows(call))

    @staticmethod
    def _sizes(call: Call) -> dict[str, int]:
        """For all of _SIZES. Raises UnsupportedError where shapes do not fit each other, or are more than a kernel takes."""
        source, result = call.inputs[0].shape, call.outputs[0].shape
        if len(source) != 4 or len(result) != 4 or (source[0], source[3]) != (result[0], result[3]):
            raise UnsupportedError(f"{_NAME}: output shape {result} does not fit input shape {source}")
        if not (0 < min(source + result) and max(source + result) < 2**15 and source[1] * source[2] < 2**22):
            raise UnsupportedError(f"{_NAME}: a size is 0, or 32768 or more, or the image has 2^22 pixels or more")
        return dict(zip(_SIZES, (*source, *result[1:3])))

    @staticmethod
    def _windows(call: Call) -> tuple[AdaptiveWindows, AdaptiveWindows]:
        """Along height and width."""
        height, width = (AdaptiveWindows(*both) for both in zip(call.inputs[0].shape[1:3], call.outputs[0].shape[1:3]))
        return height, width

    def _sums(self, call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each window, in order of rows and columns, with the arithmetic of x's dtype; and the counts, [height, width, 1]."""
        height, width = self._windows(call)
        sums = np.zeros(call.outputs[0].shape, x.dtype)
        for row, column in np.ndindex(height.outputs, width.outputs):
            for y in range(height.starts[row], height.ends[row]):
                for z in range(width.starts[column], width.ends[column]):
                    sums[:, row, column] += x[:, y, z]
        return sums, np.multiply.outer(height.sizes, width.sizes)[..., None]


class _AdaptiveS8(_Adaptive):
    itemsize = 1

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        if any(tensor.dtype != "int8" for tensor in (*call.inputs, *call.outputs)):
            raise UnsupportedError(f"{_NAME} needs int8 input and output")
        if not -128 <= call.attributes["activation_min"] <= call.attributes["activation_max"] <= 127:
            raise UnsupportedError(f"{_NAME}: an activation bound is outside int8")
        return f"{_NAME}_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        bounds = {key: call.attributes[key] for key in ("activation_min", "activation_max")}
        return _S8_PARAMS.pack(self._sizes(call) | bounds | {"unused": 0})

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        average = rounded_quotient(*self._sums(call, inputs[0].astype(np.int64)))
        return [np.clip(average, call.attributes["activation_min"], call.attributes["activation_max"]).astype(np.int8)]


class _AdaptiveF32(_Adaptive):
    itemsize = 4

    def kernel(self, call: Call, tier: Tier) -> str:
        self._sizes(call)
        require_float(call)
        activation(call)
        return f"{_NAME}_f32"

    def pack(self, call: Call, tier: Tier) -> bytes:
        return _F32_PARAMS.pack(self._sizes(call) | activation(call))

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        sums, counts = self._sums(call, inputs[0])
        return [clamped(sums / counts.astype(np.float32), *activation(call).values())]


OPERATOR = ByDtype(_AdaptiveS8(), _AdaptiveF32())
