"""Coloured pictures of handwritten digits to learn from, made of the 8x8 ones that scikit-learn ships.

CIFAR-10, which MLPerf Tiny uses, can only be downloaded; this data set comes with a package and has ten classes, too.
"""

import numpy as np

from models.ic.ic import SIZE

HELD_OUT = 360


def load() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """To train on and held out: strokes float32 [n, 8, 8] in 0..1 and labels int64 [n]. Raises ImportError without scikit-learn.

    The data set is ordered by writer: those of the last 360 digits wrote none of the others.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    strokes, labels = (digits.images / 16).astype(np.float32), digits.target.astype(np.int64)
    return (strokes[:-HELD_OUT], labels[:-HELD_OUT]), (strokes[-HELD_OUT:], labels[-HELD_OUT:])


def picture(strokes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The digit in a random size, place, slant and pair of colours, with noise: uint8 [32, 32, 3] of float [8, 8]."""
    ink = _warp(strokes, scale=rng.uniform(0.75, 1.1), shift=rng.uniform(-2.5, 2.5, 2), slant=rng.uniform(-0.25, 0.25))
    paper, dye = _colours(rng)
    image = paper + ink[..., None] * (dye - paper)
    image += rng.normal(0.0, rng.uniform(0.0, 12.0), image.shape)
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def pictures(strokes: np.ndarray, seed: int) -> np.ndarray:
    """One picture of each digit, uint8 [n, 32, 32, 3]; each depends on its place and the seed alone."""
    return np.stack([picture(digit, np.random.default_rng([seed, index])) for index, digit in enumerate(strokes)])


def _colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Of paper and ink: dark on bright, though in one channel they may be alike."""
    paper, ink = rng.uniform(110, 255, 3), rng.uniform(0, 110, 3)
    if rng.random() < 0.5:
        channel = rng.integers(3)
        ink[channel] = paper[channel]
    return paper, ink


def _warp(strokes: np.ndarray, scale: float, shift: np.ndarray, slant: float) -> np.ndarray:
    """Bilinear: float [32, 32] of float [8, 8]. At scale 1 a digit fills the picture."""
    rows, columns = np.meshgrid(*[np.arange(SIZE) - (SIZE - 1) / 2] * 2, indexing="ij")
    step = scale * SIZE / 8
    y = (rows - shift[0]) / step + 3.5 + 2
    x = (columns - shift[1] + slant * rows) / step + 3.5 + 2
    padded = np.pad(strokes, 2)
    y, x = np.clip(y + 1e-6, 0, 10), np.clip(x + 1e-6, 0, 10)
    top, left = y.astype(int), x.astype(int)
    dy, dx = y - top, x - left
    corners = padded[top, left], padded[top, left + 1], padded[top + 1, left], padded[top + 1, left + 1]
    return (1 - dy) * ((1 - dx) * corners[0] + dx * corners[1]) + dy * ((1 - dx) * corners[2] + dx * corners[3])
