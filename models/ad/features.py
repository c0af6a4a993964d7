"""From a recording to the model's inputs: windows of five frames of 128 log-mel energies.

The front end of DCASE 2020 task 2, which MLPerf Tiny uses: power spectra of Hann windows of 1024 samples every 512, through 128
triangular filters of equal area from 0 to 8000 Hz, in decibels.
"""

import numpy as np

SAMPLE_RATE = 16_000
FRAMES = 5
MELS = 128

_WINDOW_LENGTH = 1024
_STRIDE = 512
_FLOOR = np.finfo(np.float64).eps


def log_mel(samples: np.ndarray) -> np.ndarray:
    """float32 [windows, 640] of float [n] in -1..1: frame t of a window is at 128 t .. 128 t + 127; windows start at every frame.

    Raises ValueError if there are fewer samples than one window needs: 3072.
    """
    shortest = _WINDOW_LENGTH + (FRAMES - 1) * _STRIDE
    if len(samples) < shortest:
        raise ValueError(f"a recording of {len(samples)} samples; {shortest} are needed at least")
    frames = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW_LENGTH)[::_STRIDE]
    power = np.square(np.abs(np.fft.rfft(frames * _HANN)))
    decibels = 10 * np.log10(power @ _MEL_FILTERS + _FLOOR)
    windows = np.lib.stride_tricks.sliding_window_view(decibels, FRAMES, axis=0)
    return windows.transpose(0, 2, 1).reshape(len(windows), FRAMES * MELS).astype(np.float32)


def _hertz(mel: np.ndarray) -> np.ndarray:
    """Slaney's scale ("Auditory Toolbox", 1998): 200/3 Hz a mel up to 1000 Hz, then a factor of 6.4 every 27 mel."""
    return np.where(mel < 15.0, mel * (200.0 / 3), 1000.0 * 6.4 ** ((mel - 15.0) / 27))


def _mel_filters() -> np.ndarray:
    """Triangles evenly spaced in mel, each of area 1 over hertz, float64 [513, 128]."""
    highest = 15.0 + 27 * np.log(SAMPLE_RATE / 2 / 1000) / np.log(6.4)
    edges = _hertz(np.linspace(0.0, highest, MELS + 2))
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    bins = np.linspace(0.0, SAMPLE_RATE / 2, _WINDOW_LENGTH // 2 + 1)[:, None]
    triangles = np.maximum(0.0, np.minimum((bins - lower) / (centre - lower), (upper - bins) / (upper - centre)))
    return triangles * 2 / (upper - lower)


_HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_WINDOW_LENGTH) / _WINDOW_LENGTH)
_MEL_FILTERS = _mel_filters()
