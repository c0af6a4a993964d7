"""Windows of adaptive pools."""

import pytest

from kernels.adaptive_windows import AdaptiveWindows


def test_windows_cover_the_axis_and_overlap_where_it_does_not_divide() -> None:
    windows = AdaptiveWindows(10, 7)
    assert list(zip(windows.starts, windows.ends)) == [(0, 2), (1, 3), (2, 5), (4, 6), (5, 8), (7, 9), (8, 10)]
    assert AdaptiveWindows(2, 3).sizes == [1, 2, 1]


@pytest.mark.parametrize(
    ("inputs", "outputs", "size", "step"), [(12, 3, 4, 4), (13, 4, 4, 3), (7, 1, 7, 7), (5, 5, 1, 1), (10, 7, None, None), (2, 4, None, None)]
)
def test_those_of_one_size_that_are_equally_far_apart_are_a_plain_pools(inputs: int, outputs: int, size: int | None, step: int | None) -> None:
    windows = AdaptiveWindows(inputs, outputs)
    assert windows.step == step
    assert size is None or set(windows.sizes) == {size}
