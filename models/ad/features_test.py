"""Log-mel energies: the right band, the right level, the right frame."""

import numpy as np
import pytest

from models.ad.features import FRAMES, MELS, SAMPLE_RATE, log_mel


def _tone(hertz: float, seconds: float = 1.0) -> np.ndarray:
    return np.sin(2 * np.pi * hertz * np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE)


def test_a_second_gives_windows_of_five_frames() -> None:
    windows = log_mel(_tone(440))
    assert windows.shape == (26, FRAMES * MELS) and windows.dtype == np.float32


def test_windows_overlap_by_all_but_one_frame() -> None:
    windows = log_mel(np.random.default_rng(1).standard_normal(8000))
    np.testing.assert_array_equal(windows[1, : 4 * MELS], windows[0, MELS:])


@pytest.mark.parametrize("hertz", [200.0, 1000.0, 3000.0])
def test_a_tone_is_loudest_in_the_band_around_it(hertz: float) -> None:
    frame = log_mel(_tone(hertz))[5, :MELS]
    # Slaney's scale: bands are 0.379 mel apart, see features.py.
    mel = hertz * 3 / 200 if hertz < 1000 else 15 + 27 * np.log(hertz / 1000) / np.log(6.4)
    highest = 15 + 27 * np.log(8) / np.log(6.4)
    assert abs(frame.argmax() - (mel / highest * (MELS + 1) - 1)) <= 1


def test_ten_times_the_amplitude_is_20_decibels_more() -> None:
    noise = 0.01 * np.random.default_rng(1).standard_normal(8000)
    np.testing.assert_allclose(log_mel(10 * noise) - log_mel(noise), 20, atol=1e-3)


def test_silence_is_at_the_floor() -> None:
    np.testing.assert_allclose(log_mel(np.zeros(4000)), 10 * np.log10(np.finfo(float).eps), rtol=1e-6)


def test_a_recording_shorter_than_a_window_is_an_error() -> None:
    with pytest.raises(ValueError, match="a recording of 3071 samples; 3072 are needed at least"):
        log_mel(np.zeros(3071))
