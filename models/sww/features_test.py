"""Log-mel energies: the right band, the right frame, the right range."""

import numpy as np
import pytest

from models.sww.features import FRAMES, MELS, SAMPLE_RATE, SECOND, log_mel

TIME = np.arange(SECOND) / SAMPLE_RATE


def test_a_second_gives_30_frames_of_40_energies_in_0_to_1() -> None:
    energies = log_mel(np.random.default_rng(1).standard_normal(SECOND))
    assert energies.shape == (FRAMES, MELS) and energies.dtype == np.float32
    assert energies.min() >= 0 and 0.5 < energies.max() <= 1


def test_volume_does_not_matter() -> None:
    sound = np.random.default_rng(1).standard_normal(SECOND)
    np.testing.assert_allclose(log_mel(sound), log_mel(0.01 * sound), atol=1e-6)


@pytest.mark.parametrize("hertz", [500.0, 1000.0, 3000.0])
def test_a_tone_is_loudest_in_the_band_around_it(hertz: float) -> None:
    band = np.log1p(hertz / 700) / np.log1p(8000 / 700) * (MELS + 1) - 1
    assert abs(log_mel(np.sin(2 * np.pi * hertz * TIME))[10].argmax() - band) <= 1


def test_a_click_is_in_the_frames_around_it_alone() -> None:
    sound = np.zeros(SECOND)
    sound[5000] = 1
    loud = np.flatnonzero(log_mel(sound).max(axis=1))
    # Frame i spans samples 512 i to 512 i + 1023.
    assert set(loud) <= {8, 9} and len(loud)


def test_silence_is_0() -> None:
    assert not log_mel(np.zeros(SECOND)).any()
