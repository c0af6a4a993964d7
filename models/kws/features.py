"""From a recording to the model's input: one second of 16 kHz speech as 49 frames of 10 MFCCs.

The front end of MLPerf Tiny's keyword spotting: the second is scaled to a peak of 1 and cut into Hann windows of 30 ms
every 20 ms; magnitudes of a 512-point FFT go through 40 triangular mel filters from 20 to 4000 Hz, then log and DCT-II.
"""

import wave
from pathlib import Path

import numpy as np

SAMPLE_RATE = 16_000
SECOND = SAMPLE_RATE
FRAME = 480
STRIDE = 320
FRAMES = 49
COEFFICIENTS = 10

_FFT = 512
_MELS = 40
_LOWEST_HZ, _HIGHEST_HZ = 20.0, 4000.0
_LOG_FLOOR = 1e-6


class WavError(ValueError):
    """A recording that cannot be used; the message is one line that names the file and says why."""


def read_wav(path: str | Path) -> np.ndarray:
    """The samples of a 16 kHz mono 16-bit PCM WAV file, float32 [n] in -1..1. Raises WavError."""
    try:
        with wave.open(str(path), "rb") as recording:
            channels, width, rate, frames = recording.getparams()[:4]
            data = recording.readframes(frames)
    except OSError as error:
        raise WavError(f"{path}: cannot be read: {error.strerror}") from error
    except (wave.Error, EOFError) as error:
        raise WavError(f"{path}: not a PCM WAV file") from error
    if channels != 1:
        raise WavError(f"{path}: {channels} channels, wanted 1 (mono)")
    if width != 2:
        raise WavError(f"{path}: {8 * width} bits a sample, wanted 16")
    if rate != SAMPLE_RATE:
        raise WavError(f"{path}: {rate} samples a second, wanted {SAMPLE_RATE}")
    samples = np.frombuffer(data[: len(data) & ~1], dtype="<i2")
    if not samples.size:
        raise WavError(f"{path}: empty, holds no samples")
    return samples.astype(np.float32) / 32768


def loudest_second(samples: np.ndarray) -> np.ndarray:
    """Exactly one second, float32 [16000]: the one with most energy, or all there is followed by zeros."""
    if samples.size <= SECOND:
        return np.pad(samples, (0, SECOND - samples.size))
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    start = int(np.argmax(energy[SECOND:] - energy[:-SECOND]))
    return samples[start : start + SECOND]


def mfcc(second: np.ndarray) -> np.ndarray:
    """MFCCs of one second, float32 [49, 10] of float [16000]; the same for any volume."""
    peak = np.abs(second).max()
    normalised = second / peak if peak > 0 else second
    frames = np.lib.stride_tricks.sliding_window_view(normalised, FRAME)[::STRIDE]
    magnitudes = np.abs(np.fft.rfft(frames * _WINDOW, _FFT))
    log_mel = np.log(magnitudes @ _MEL_FILTERS + _LOG_FLOOR)
    return (log_mel @ _DCT).astype(np.float32)


def _mel(hertz: np.ndarray | float) -> np.ndarray | float:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def _mel_filters() -> np.ndarray:
    """Triangles evenly spaced and straight in mel (HTK's scale), float64 [257, 40]; the constant bin counts nowhere."""
    bins = _mel(np.linspace(0.0, SAMPLE_RATE / 2, _FFT // 2 + 1))[:, None]
    edges = np.linspace(_mel(_LOWEST_HZ), _mel(_HIGHEST_HZ), _MELS + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    filters = np.maximum(0.0, np.minimum((bins - lower) / (centre - lower), (upper - bins) / (upper - centre)))
    filters[0] = 0.0
    return filters


def _dct() -> np.ndarray:
    """The first ten columns of the orthogonal DCT-II but for its first column, which stays larger by sqrt(2), float64 [40, 10]."""
    angles = np.pi / _MELS * np.outer(np.arange(_MELS) + 0.5, np.arange(COEFFICIENTS))
    return np.sqrt(2.0 / _MELS) * np.cos(angles)


_WINDOW = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
_MEL_FILTERS = _mel_filters()
_DCT = _dct()
