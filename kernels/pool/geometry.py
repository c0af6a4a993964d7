"""What descriptions of pools share, of whatever dtype."""

import dataclasses

import numpy as np

from kernels.operator import Call, UnsupportedError
from kernels.window import Window


def pool_window(call: Call) -> Window:
    """Raises UnsupportedError where shapes and window do not fit each other."""
    window = Window.of(call, call.attributes["kernel"])
    source, result = call.inputs[0], call.outputs[0]
    if source.shape[0] != result.shape[0] or source.shape[3] != result.shape[3]:
        raise UnsupportedError(f"{call.operator}: output shape {result.shape} does not fit input shape {source.shape}")
    window.require_small(call)
    if int(np.prod(window.kernel)) >= 2**22:
        raise UnsupportedError(f"{call.operator}: the window has 2^22 taps or more")
    if not inside_taps(window).any(axis=(3, 4)).all():
        raise UnsupportedError(f"{call.operator}: a window holds only padding")
    return window


def geometry_values(call: Call, window: Window) -> dict[str, int]:
    """For all of window_fields.channelwise("channels")."""
    return window.fields(call) | {"channels": call.inputs[0].shape[3]}


def counted_values(call: Call, window: Window) -> dict[str, int]:
    """What an average pool counts: the fields counted_height, counted_width and count_include_pad."""
    include = bool(call.attributes["count_include_pad"])
    return {
        "counted_height": window.input_size[0] + include * window.padding[2],
        "counted_width": window.input_size[1] + include * window.padding[3],
        "count_include_pad": include,
    }


def inside_taps(window: Window) -> np.ndarray:
    """Taps inside the input: bool [1, OH, OW, KH, KW]."""
    return window.patches(np.ones((1, *window.input_size, 1), bool), False)[..., 0]


def counted_taps(window: Window, include_pad: bool) -> np.ndarray:
    """Taps inside the input, or inside input and padding: bool [1, OH, OW, KH, KW]."""
    if not include_pad:
        return inside_taps(window)
    top, left, bottom, right = window.padding
    height, width = window.input_size
    padded_size = (height + top + bottom, width + left + right)
    return inside_taps(dataclasses.replace(window, padding=(0, 0, 0, 0), input_size=padded_size))


def rounded_quotient(total: np.ndarray, count: np.ndarray | int) -> np.ndarray:
    """Sum over count, rounded half away from zero."""
    half = count // 2
    return np.where(total > 0, (total + half) // count, -((-total + half) // count))
