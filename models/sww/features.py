"""From a recording to the model's input: one second of 16 kHz sound as 30 frames of 40 log-mel energies.

The front end of MLPerf Tiny's streaming wake word: the second is scaled to a peak of 1 and its high notes raised; power spectra of
Hamming windows of 64 ms every 32 ms go through 40 triangular mel filters up to 8000 Hz; -52 to 12 decibels become 0 to 1.
"""

import numpy as np

SAMPLE_RATE = 16_000
SECOND = SAMPLE_RATE
FRAMES = 30
MELS = 40

_LENGTH = 1024
_STRIDE = 512
_EMPHASIS = 1 - 2**-5


def log_mel(second: np.ndarray) -> np.ndarray:
    """float32 [30, 40] in 0..1 of float [16000]; the same for any volume. Silence gives 0."""
    peak = np.abs(second).max()
    scaled = second / peak if peak > 0 else second
    emphasised = scaled - _EMPHASIS * np.concatenate([[0.0], scaled[:-1]])
    frames = np.lib.stride_tricks.sliding_window_view(emphasised, _LENGTH)[::_STRIDE]
    power = np.square(np.abs(np.fft.rfft(frames * np.hamming(_LENGTH)))) / _LENGTH
    decibels = 10 * np.log10(np.maximum(power, 1e-30) @ _MEL_FILTERS)
    return np.clip((decibels + 52) / 64, 0, 1).astype(np.float32)


def _mel_filters() -> np.ndarray:
    """Triangles evenly spaced and straight in mel (HTK's scale), float64 [513, 40]; the constant bin counts nowhere."""
    bins = 1127.0 * np.log1p(np.linspace(0.0, SAMPLE_RATE / 2, _LENGTH // 2 + 1)[:, None] / 700.0)
    edges = np.linspace(0.0, bins[-1, 0], MELS + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    filters = np.maximum(0.0, np.minimum((bins - lower) / (centre - lower), (upper - bins) / (upper - centre)))
    filters[0] = 0.0
    return filters


_MEL_FILTERS = _mel_filters()
