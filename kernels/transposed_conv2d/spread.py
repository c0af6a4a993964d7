"""Transposed convolutions as what they are by definition: convolutions over an input with zeros between its pixels."""

import dataclasses

import numpy as np

from kernels.operator import Call, UnsupportedError


def convolution_over_spread(call: Call) -> Call:
    """The convolution over the input that spread_apart gives. Raises UnsupportedError where sizes do not fit."""
    a, (source,) = call.attributes, call.inputs
    if len(source.shape) != 4 or min(*a["spread"], *a["dilation"]) < 1:
        raise UnsupportedError("transposed_conv2d needs rank 4, NHWC, and a spread and dilation of 1 or more")
    type_ = dataclasses.replace(source, shape=(source.shape[0], *_padded_size(call), source.shape[3]))
    return Call("conv2d", (type_,), call.outputs, dict(a, stride=(1, 1), padding=(0, 0, 0, 0)))


def spread_apart(call: Call, x: np.ndarray, fill: float) -> np.ndarray:
    """An array [N, H, W, C] like the call's input, with `fill` between its pixels and in the padding, or cut off where that is negative."""
    top, left, bottom, right = call.attributes["padding"]
    rows, columns = call.attributes["spread"]
    wide = np.full((x.shape[0], (x.shape[1] - 1) * rows + 1, (x.shape[2] - 1) * columns + 1, x.shape[3]), fill, x.dtype)
    wide[:, ::rows, ::columns] = x
    amounts = ((0, 0), (max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0)), (0, 0))
    wide = np.pad(wide, amounts, constant_values=fill)
    height, width = _padded_size(call)
    return wide[:, max(-top, 0) :, max(-left, 0) :][:, :height, :width]


def _padded_size(call: Call) -> tuple[int, int]:
    (height, width), (rows, columns) = call.inputs[0].shape[1:3], call.attributes["spread"]
    top, left, bottom, right = call.attributes["padding"]
    return (height - 1) * rows + 1 + top + bottom, (width - 1) * columns + 1 + left + right


def row_lead(call: Call) -> int:
    """In elements: an output row is written while the input rows below are read; all input above its first tap is no longer needed."""
    batches, height, width, input_channels = call.inputs[0].shape
    _, output_height, output_width, output_channels = call.outputs[0].shape
    spread, padding = call.attributes["spread"][0], call.attributes["padding"][0]
    rows = np.clip(-(-(np.arange(output_height) - padding) // spread), 0, height)
    first_read = (np.arange(batches)[:, None] * height + rows).reshape(-1) * width * input_channels
    still_read = np.minimum.accumulate(first_read[::-1])[::-1]
    written = np.arange(1, len(first_read) + 1) * output_width * output_channels
    return max(0, int((written - still_read).max()))
