"""The front end computes MFCCs as defined, and says plainly what is wrong with a recording."""

import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from models.kws import features


def _write_wav(path: Path, *, rate: int = 16000, channels: int = 1, width: int = 2, frames: int = 16000) -> Path:
    with wave.open(str(path), "wb") as recording:
        recording.setnchannels(channels)
        recording.setsampwidth(width)
        recording.setframerate(rate)
        recording.writeframes(bytes(frames * channels * width))
    return path


def _bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: _write_wav(path, rate=8000), "8000 samples a second, wanted 16000"),
        (lambda path: _write_wav(path, channels=2), "2 channels, wanted 1 (mono)"),
        (lambda path: _write_wav(path, width=1), "8 bits a sample, wanted 16"),
        (lambda path: _write_wav(path, width=3), "24 bits a sample, wanted 16"),
        (lambda path: _write_wav(path, frames=0), "empty, holds no samples"),
        (_bytes(b""), "not a PCM WAV file"),
        (_bytes(b"hello, this is a text and no sound at all"), "not a PCM WAV file"),
        (_bytes(b"RIFF\x24\x00\x00\x00WAVEfmt "), "not a PCM WAV file"),
        (lambda path: path.mkdir(), "cannot be read: Is a directory"),
        (lambda path: None, "cannot be read: No such file or directory"),
    ],
    ids=["8_khz", "stereo", "8_bit", "24_bit", "no_samples", "no_bytes", "text", "cut_off", "folder", "missing"],
)
def test_a_wrong_wav_is_refused_in_one_line_that_names_it(make: Callable, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.wav"
    make(path)
    with pytest.raises(features.WavError) as error:
        features.read_wav(path)
    assert str(error.value) == f"{path}: {reason}"


def test_samples_are_read_as_fractions_of_full_scale(tmp_path: Path) -> None:
    path = tmp_path / "four.wav"
    with wave.open(str(path), "wb") as recording:
        recording.setparams((1, 2, 16000, 0, "NONE", ""))
        recording.writeframes(np.array([0, 16384, -32768, 32767], "<i2").tobytes())
    np.testing.assert_array_equal(features.read_wav(path), np.float32([0, 0.5, -1, 32767 / 32768]))


def test_a_short_recording_is_followed_by_zeros() -> None:
    second = features.loudest_second(np.ones(100, np.float32))
    assert second.shape == (16000,) and second[:100].all() and not second[100:].any()


def test_of_a_long_recording_the_loudest_second_counts() -> None:
    samples = np.full(80000, 0.1, np.float32)
    samples[40000:56000] = 0.5
    np.testing.assert_array_equal(features.loudest_second(samples), np.full(16000, 0.5, np.float32))


def _mfcc_by_definition(second: np.ndarray, frame: int) -> list[float]:
    """One frame with sums written out: DFT, triangles on HTK's mel scale, log, DCT-II."""
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)  # noqa: E731
    samples = second[320 * frame : 320 * frame + 480] / max(abs(second))
    n = np.arange(480)
    hann = np.sin(np.pi * n / 480) ** 2
    magnitude = [abs(sum(samples * hann * np.exp(-2j * np.pi * k * n / 512))) for k in range(257)]
    edges = [mel(20) + (mel(4000) - mel(20)) * i / 41 for i in range(42)]
    log_mel = []
    for low, middle, high in zip(edges, edges[1:], edges[2:], strict=False):
        total = 0.0
        for k in range(1, 257):
            at = mel(k * 16000 / 512)
            if low < at <= middle:
                total += magnitude[k] * (at - low) / (middle - low)
            elif middle < at < high:
                total += magnitude[k] * (high - at) / (high - middle)
        log_mel.append(np.log(total + 1e-6))
    return [np.sqrt(2 / 40) * sum(log_mel[i] * np.cos(np.pi * c * (i + 0.5) / 40) for i in range(40)) for c in range(10)]


@pytest.mark.parametrize("frame", [0, 17, 48])
def test_mfccs_are_what_their_definition_says(frame: int) -> None:
    time = np.arange(16000) / 16000
    second = np.sin(2 * np.pi * (300 + 900 * time) * time) + 0.1 * np.random.default_rng(7).standard_normal(16000)
    np.testing.assert_allclose(features.mfcc(second)[frame], _mfcc_by_definition(second, frame), atol=1e-4)


def test_there_are_49_frames_of_10_coefficients_whatever_the_volume() -> None:
    second = np.random.default_rng(3).standard_normal(16000)
    loud, quiet = features.mfcc(second), features.mfcc(second / 64)
    assert loud.shape == (49, 10) and loud.dtype == np.float32
    np.testing.assert_array_equal(loud, quiet)


def test_digital_silence_is_finite_and_the_same_everywhere() -> None:
    silence = features.mfcc(np.zeros(16000))
    np.testing.assert_allclose(silence[:, 0], np.sqrt(2 / 40) * 40 * np.log(1e-6), rtol=1e-6)
    np.testing.assert_allclose(silence[:, 1:], 0, atol=1e-5)
