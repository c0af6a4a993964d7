"""How far before its input an output may start, for kernels that work pixel by pixel or row by row."""

import numpy as np

from kernels.window import Window


def pixel_lead(window: Window, batches: int, input_channels: int, output_channels: int, *, reads_pixel_first: bool) -> int:
    """For a kernel that writes output pixels in order.

    `reads_pixel_first`: all input an output pixel depends on is read (copied) before the pixel is written; otherwise
    it is read until the pixel's last byte is written.
    """
    out_height, out_width = window.output_size
    rows = np.maximum(np.arange(out_height) * window.stride[0] - window.padding[0], 0)
    columns = np.maximum(np.arange(out_width) * window.stride[1] - window.padding[1], 0)
    channels = {"input_channels": input_channels, "output_channels": output_channels}
    return lead_of_starts(rows, columns, window.input_size, batches, **channels, reads_pixel_first=reads_pixel_first)


def lead_of_starts(
    rows: np.ndarray,
    columns: np.ndarray,
    input_size: tuple[int, int],
    batches: int,
    *,
    input_channels: int,
    output_channels: int,
    reads_pixel_first: bool,
) -> int:
    """Likewise, of windows that start in these rows and columns of the input, or beyond it."""
    height, width = input_size
    first_read = (np.minimum(rows, height)[:, None] * width + np.minimum(columns, width)) * input_channels
    images = np.arange(batches) * height * width * input_channels
    first_read = (images[:, None] + first_read.reshape(-1)).reshape(-1)
    still_read = np.minimum.accumulate(first_read[::-1])[::-1]
    written = (np.arange(len(first_read)) + 1) * output_channels
    if reads_pixel_first:
        still_read, written = still_read[1:], written[:-1]
    return max(0, int((written - still_read).max(initial=0)))


def row_lead(window: Window, batches: int, input_channels: int, output_channels: int) -> int:
    """For a kernel that copies the input rows an output row depends on before it writes that row, each input row once."""
    height, width = window.input_size
    out_height, out_width = window.output_size
    image, rows = np.arange(batches)[:, None], np.arange(out_height)[None, :]
    rows_read = np.clip(rows * window.stride[0] - window.padding[0] + window.extent[0], 0, height)
    still_read = (image * height + rows_read) * width * input_channels
    written = (image * out_height + rows + 1) * out_width * output_channels
    needed = still_read < batches * height * width * input_channels
    return max(0, int((written - still_read).max(initial=0, where=needed)))
