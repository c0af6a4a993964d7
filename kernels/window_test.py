"""Windows against loops over taps, and the overlaps that follow from them against a simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.operator import Call, UnsupportedError
from kernels.overlap import pixel_lead, row_lead
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_calls import int8_tensor, window
from kernels.window import Window


def random_window(seed: int) -> Window:
    attributes, kernel, size, result = window(np.random.default_rng(seed), 4, 5)
    call = Call("conv2d", (int8_tensor((1, *size, 1)),), (int8_tensor((1, *result, 1)),), attributes)
    return Window.of(call, kernel)


def taps(w: Window, row: int, column: int) -> list[tuple[int, int]]:
    """(y, x) of each tap of an output pixel, inside the image or not."""
    top, left = row * w.stride[0] - w.padding[0], column * w.stride[1] - w.padding[1]
    return [(top + ky * w.dilation[0], left + kx * w.dilation[1]) for ky in range(w.kernel[0]) for kx in range(w.kernel[1])]


def is_inside(w: Window, y: int, x: int) -> bool:
    return 0 <= y < w.input_size[0] and 0 <= x < w.input_size[1]


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_patches_are_the_taps(seed: int) -> None:
    w = random_window(seed)
    image = np.random.default_rng(seed).integers(-128, 128, (2, *w.input_size, 3)).astype(np.int8)
    patches = w.patches(image, 77)
    for row in range(w.output_size[0]):
        for column in range(w.output_size[1]):
            expected = [image[:, y, x] if is_inside(w, y, x) else np.full((2, 3), 77) for y, x in taps(w, row, column)]
            assert (patches[:, row, column].reshape(2, -1, 3) == np.stack(expected, axis=1)).all()


def first_reads(w: Window, channels: int) -> list[int]:
    """First input byte that each output pixel or one after it reads; past the end for those that read nothing."""
    end = w.input_size[0] * w.input_size[1] * channels
    reads = [
        min([(y * w.input_size[1] + x) * channels for y, x in taps(w, row, column) if is_inside(w, y, x)], default=end)
        for row in range(w.output_size[0])
        for column in range(w.output_size[1])
    ]
    return [min(reads[i:]) for i in range(len(reads))]


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_pixel_leads_keep_what_is_still_to_be_read(seed: int, channels: int, outputs: int) -> None:
    w = random_window(seed)
    reads = first_reads(w, channels)
    lead = pixel_lead(w, 1, channels, outputs, reads_pixel_first=True)
    assert all((i + 1) * outputs - lead <= read for i, read in enumerate(reads[1:]))
    lead = pixel_lead(w, 1, channels, outputs, reads_pixel_first=False)
    assert all((i + 1) * outputs - lead <= read for i, read in enumerate(reads))


@SLOW_PROPERTY
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_row_leads_keep_the_rows_that_are_not_copied(seed: int, channels: int) -> None:
    w = random_window(seed)
    lead = row_lead(w, 1, channels, channels)
    for row in range(w.output_size[0]):
        copied = min(max(row * w.stride[0] - w.padding[0] + w.extent[0], 0), w.input_size[0])
        written = (row + 1) * w.output_size[1] * channels - lead
        assert copied == w.input_size[0] or written <= copied * w.input_size[1] * channels


def test_depthwise_that_keeps_its_size_works_in_place() -> None:
    w = Window((3, 3), (1, 1), (1, 1), (1, 1, 1, 1), (25, 5), (25, 5))
    assert row_lead(w, 1, 64, 64) == 0
    assert row_lead(w, 3, 64, 64) == 0


def test_pointwise_works_in_place_where_it_does_not_grow() -> None:
    w = Window((1, 1), (1, 1), (1, 1), (0, 0, 0, 0), (5, 5), (5, 5))
    assert pixel_lead(w, 1, 64, 64, reads_pixel_first=True) == 0
    assert pixel_lead(w, 1, 64, 8, reads_pixel_first=True) == 0
    assert pixel_lead(w, 1, 8, 64, reads_pixel_first=True) == 24 * 56


@pytest.mark.parametrize("result", [(4, 5), (6, 5), (5, 3)])
def test_an_output_size_that_does_not_follow_is_refused(result: tuple[int, int]) -> None:
    attributes = {"stride": (1, 1), "padding": (1, 1, 1, 1)}
    call = Call("conv2d", (int8_tensor((1, 5, 5, 1)),), (int8_tensor((1, *result, 1)),), attributes)
    with pytest.raises(UnsupportedError, match="does not follow"):
        Window.of(call, (3, 3))


def test_ceil_mode_is_a_size_that_follows() -> None:
    attributes = {"stride": (2, 2), "padding": (0, 0, 0, 0)}
    call = Call("max_pool2d", (int8_tensor((1, 6, 6, 1)),), (int8_tensor((1, 3, 3, 1)),), attributes)
    assert Window.of(call, (3, 3)).output_size == (3, 3)


@pytest.mark.parametrize("name", ["stride", "dilation"])
def test_numbers_that_kernels_do_not_take_are_refused(name: str) -> None:
    attributes = {"stride": (1, 1), "dilation": (1, 1), "padding": (0, 0, 0, 0)}
    call = Call("conv2d", (int8_tensor((1, 1, 1, 1)),), (int8_tensor((1, 1, 1, 1)),), attributes | {name: (1, 32767)})
    Window.of(call, (1, 1)).require_small(call)
    call = Call("conv2d", call.inputs, call.outputs, attributes | {name: (1, 32768)})
    with pytest.raises(UnsupportedError, match="conv2d: a size is 32768 or more"):
        Window.of(call, (1, 1)).require_small(call)
