"""Pictures are the same for the same seed, and show the digit."""

import numpy as np

from models.ic import digits

ONE = np.zeros((8, 8), np.float32)
ONE[:, 3:5] = 1


def test_a_picture_depends_on_its_place_and_the_seed_alone() -> None:
    few, more, other = digits.pictures([ONE] * 2, seed=1), digits.pictures([ONE] * 3, seed=1), digits.pictures([ONE] * 2, seed=2)
    assert few.shape == (2, 32, 32, 3) and few.dtype == np.uint8
    np.testing.assert_array_equal(few, more[:2])
    assert (few != other).any(axis=(1, 2, 3)).all()
    assert (few[0] != few[1]).any()


def test_unmoved_strokes_stay_in_the_middle_four_times_as_large() -> None:
    ink = digits._warp(ONE, scale=1.0, shift=np.zeros(2), slant=0.0)
    # The stroke is two of eight columns wide; between columns brightness is a straight line.
    expected = np.interp(np.arange(32), [9.5, 13.5, 17.5, 21.5], [0, 1, 1, 0])
    np.testing.assert_allclose(ink[16], expected, atol=1e-5)


def test_ink_is_darker_than_paper() -> None:
    for picture in digits.pictures([ONE] * 20, seed=3).astype(float):
        brightness = picture.sum(axis=2)
        assert np.median(brightness[4:-4, 14:18]) < np.median(brightness[:, :4])
