"""Scenes are the same for the same seed, and half of them have a person."""

import numpy as np

from models.vww import scenes


def test_a_scene_depends_on_its_place_and_the_seed_alone() -> None:
    few, labels = scenes.scenes(3, seed=1)
    more, _ = scenes.scenes(4, seed=1)
    other, _ = scenes.scenes(3, seed=2)
    assert few.shape == (3, 96, 96, 3) and few.dtype == np.uint8
    assert labels.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(few, more[:3])
    assert (few != other).any(axis=(1, 2, 3)).all()


def test_a_limb_covers_its_length_and_no_more() -> None:
    image = np.zeros((96, 96, 3), np.float32)
    scenes._draw(image, [scenes.Limb(np.array([20.0, 30.0]), np.array([20.0, 60.0]), 4.0, np.array([200.0, 100.0, 50.0]))])
    np.testing.assert_allclose(image[20, 30:61], np.tile([200, 100, 50], (31, 1)), rtol=1e-6)
    np.testing.assert_allclose(image[:, 45, 0].nonzero()[0], np.arange(16, 25))
    assert not image[:, :25].any() and not image[:, 66:].any()
