"""Sounds of machines to learn from, healthy and not: a motor, its gears and its fan, made with NumPy; the same for the same seed."""

from collections.abc import Callable

import numpy as np

from models.ad.features import SAMPLE_RATE

SECONDS = 4
SAMPLES = SECONDS * SAMPLE_RATE

_TIME = np.arange(SAMPLES) / SAMPLE_RATE


def healthy(rng: np.random.Generator) -> np.ndarray:
    """A motor that turns 28 to 32 times a second, float32 [64000]."""
    return _recorded(_machine(rng), rng)


def dry_bearing(rng: np.random.Generator) -> np.ndarray:
    """It squeals: a high note that comes and goes."""
    swell = np.clip(np.sin(2 * np.pi * (rng.uniform(0.5, 2.0) * _TIME + rng.random())), 0, None)
    note = np.sin(2 * np.pi * np.cumsum(rng.uniform(2500, 5500) * (1 + 0.01 * swell)) / SAMPLE_RATE)
    return _recorded(_machine(rng) + rng.uniform(0.03, 0.1) * swell * note, rng)


def loose_part(rng: np.random.Generator) -> np.ndarray:
    """It rattles: short bursts of noise, several times a second."""
    sound = _machine(rng)
    length = int(0.03 * SAMPLE_RATE)
    at = np.cumsum(rng.uniform(0.05, 0.25, 200) * SAMPLE_RATE).astype(int)
    for start in at[at < SAMPLES - length]:
        burst = rng.standard_normal(length) * np.exp(-np.arange(length) / (0.006 * SAMPLE_RATE))
        sound[start : start + length] += rng.uniform(0.1, 0.3) * burst
    return _recorded(sound, rng)


def broken_tooth(rng: np.random.Generator) -> np.ndarray:
    """Once in every turn the gears knock."""
    turns = rng.uniform(28, 32)
    since_knock = (turns * _TIME + rng.random()) % 1 / turns
    knock = np.exp(-since_knock / 0.004) * np.sin(2 * np.pi * rng.uniform(600, 1400) * since_knock)
    return _recorded(_machine(rng, turns=turns) + rng.uniform(0.2, 0.5) * knock, rng)


def worn_motor(rng: np.random.Generator) -> np.ndarray:
    """It turns too slowly."""
    return _recorded(_machine(rng, turns=rng.uniform(17, 23)), rng)


FAULTS: tuple[Callable[[np.random.Generator], np.ndarray], ...] = (dry_bearing, loose_part, broken_tooth, worn_motor)


def _machine(rng: np.random.Generator, turns: float | None = None) -> np.ndarray:
    """Harmonics of the rotation, of the gears' 23 teeth and of the fan's 7 blades in a rush of air; float64 [64000]."""
    turns = rng.uniform(28, 32) if turns is None else turns
    wobble = 1 + 0.004 * np.sin(2 * np.pi * (rng.uniform(0.5, 1.5) * _TIME + rng.random()))
    angle = 2 * np.pi * np.cumsum(turns * wobble) / SAMPLE_RATE
    sound = _harmonics(angle, 10, 0.9, rng) * 0.15
    sound += _harmonics(23 * angle, 6, 1.2, rng) * 0.06 * (1 + 0.3 * np.sin(angle))
    sound += _harmonics(7 * angle, 8, 1.0, rng) * 0.05
    return sound + 0.05 * _noise(lambda hertz: 1 / (1 + hertz / 400), rng)


def _harmonics(angle: np.ndarray, count: int, fall: float, rng: np.random.Generator) -> np.ndarray:
    return sum(np.sin(n * angle + rng.uniform(0, 2 * np.pi)) / n**fall for n in range(1, count + 1))


def _noise(gain: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Of mean square 1, shaped by a gain per frequency in hertz."""
    spectrum = np.fft.rfft(rng.standard_normal(SAMPLES)) * gain(np.fft.rfftfreq(SAMPLES, 1 / SAMPLE_RATE))
    noise = np.fft.irfft(spectrum, SAMPLES)
    return noise / np.sqrt(np.mean(np.square(noise)))


def _recorded(sound: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """At a distance that varies, in a hall that is never silent."""
    near = 10 ** (rng.uniform(-3, 3) / 20)
    return np.clip(near * sound + 0.004 * rng.standard_normal(SAMPLES), -1, 1).astype(np.float32)
