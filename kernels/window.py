"""Sliding windows over NHWC tensors: what convolutions and pools have in common."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from kernels.operator import Call, UnsupportedError


@dataclasses.dataclass(frozen=True)
class Window:
    """Where a window of `kernel` taps lies for each output pixel: tap (ky, kx) of output (oy, ox) reads input row
    oy * stride[0] - padding[0] + ky * dilation[0], column alike; padding is (top, left, bottom, right)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int, int, int]
    input_size: tuple[int, int]
    output_size: tuple[int, int]

    @classmethod
    def of(cls, call: Call, kernel: tuple[int, int]) -> "Window":
        """The window of a call whose attributes hold stride, padding and, if it has one, dilation.

        Raises UnsupportedError unless input and output are rank 4 and the output's size is what the window gives
        (or what it gives in ceil mode, where the last window may hang over the padding).
        """
        attributes: Mapping[str, Any] = call.attributes
        if len(call.inputs[0].shape) != 4 or len(call.outputs[0].shape) != 4:
            raise UnsupportedError(f"{call.operator} needs rank 4, NHWC")
        window = cls(
            kernel=_pair(kernel),
            stride=_pair(attributes["stride"]),
            dilation=_pair(attributes.get("dilation", (1, 1))),
            padding=tuple(int(p) for p in attributes["padding"]),
            input_size=_pair(call.inputs[0].shape[1:3]),
            output_size=_pair(call.outputs[0].shape[1:3]),
        )
        window._check(call.operator)
        return window

    def _check(self, operator: str) -> None:
        if min(*self.kernel, *self.stride, *self.dilation) < 1 or min(self.padding) < 0:
            raise UnsupportedError(f"{operator}: kernel, stride and dilation start at 1, padding at 0")
        for axis in (0, 1):
            reach = self.input_size[axis] + self.padding[axis] + self.padding[axis + 2] - self.extent[axis]
            floor, ceil = reach // self.stride[axis] + 1, -(-reach // self.stride[axis]) + 1
            if reach < 0 or self.output_size[axis] not in (floor, ceil):
                raise UnsupportedError(
                    f"{operator}: output size {self.output_size} does not follow from input size {self.input_size}, "
                    f"kernel {self.kernel}, stride {self.stride}, dilation {self.dilation} and padding {self.padding}"
                )

    def require_small(self, call: Call) -> None:
        """What int16 holds, as checks of kernels demand (are_small_sizes of kernels/check.h). Raises UnsupportedError otherwise."""
        numbers = (*call.inputs[0].shape, *call.outputs[0].shape, *self.extent, *self.padding, *self.stride, *self.dilation)
        if max(numbers) >= 2**15:
            raise UnsupportedError(f"{call.operator}: a size is 32768 or more")

    def fields(self, call: Call) -> dict[str, int]:
        """What the params of every kernel with a window hold of it, by field; dilation, which not all have, is dilation_fields."""
        return {
            "batches": call.inputs[0].shape[0],
            "input_height": self.input_size[0],
            "input_width": self.input_size[1],
            "output_height": self.output_size[0],
            "output_width": self.output_size[1],
            "kernel_height": self.kernel[0],
            "kernel_width": self.kernel[1],
            "stride_height": self.stride[0],
            "stride_width": self.stride[1],
            "pad_top": self.padding[0],
            "pad_left": self.padding[1],
        }

    def dilation_fields(self) -> dict[str, int]:
        return {"dilation_height": self.dilation[0], "dilation_width": self.dilation[1]}

    @property
    def extent(self) -> tuple[int, int]:
        """Rows and columns from the first tap to the last, both counted."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation))

    @property
    def is_pointwise(self) -> bool:
        """Output pixel n reads input pixel n and no other."""
        return self.kernel == (1, 1) and self.stride == (1, 1) and not any(self.padding)

    @property
    def pads(self) -> bool:
        """Some tap of some output pixel lies outside the input."""
        return any(self.padding) or any(
            (o - 1) * s + e > i for o, s, e, i in zip(self.output_size, self.stride, self.extent, self.input_size)
        )

    def first_row(self, output_row: int) -> int:
        """Input row of the top tap of an output row; negative in the padding."""
        return output_row * self.stride[0] - self.padding[0]

    def patches(self, image: np.ndarray, fill: int) -> np.ndarray:
        """All windows of an [N, H, W, C] array, as [N, OH, OW, KH, KW, C]; taps outside the image read `fill`."""
        reach = [(o - 1) * s + e for o, s, e in zip(self.output_size, self.stride, self.extent)]
        after = [max(0, r - self.padding[axis] - self.input_size[axis]) for axis, r in enumerate(reach)]
        padded = np.pad(
            image, ((0, 0), (self.padding[0], after[0]), (self.padding[1], after[1]), (0, 0)), constant_values=fill
        )[:, : reach[0], : reach[1]]
        windows = sliding_window_view(padded, self.extent, axis=(1, 2))
        strided = windows[:, :: self.stride[0], :: self.stride[1], :, :: self.dilation[0], :: self.dilation[1]]
        return np.moveaxis(strided, 3, 5)


def _pair(values: Any) -> tuple[int, int]:
    first, second = values
    return int(first), int(second)
