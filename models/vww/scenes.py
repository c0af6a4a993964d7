"""Drawn scenes to learn from, with a person in half of them; made with NumPy, the same for the same seed.

Photographs with licences for everybody are too many megabytes for this repository, so the people are simple: a head, a trunk, two
arms and two legs in any pose. Scenes without a person have other things made of the same parts.
"""

import dataclasses

import numpy as np

from models.vww.vww import SIZE

_ROWS, _COLUMNS = np.meshgrid(np.arange(SIZE, dtype=np.float32), np.arange(SIZE, dtype=np.float32), indexing="ij")


@dataclasses.dataclass(frozen=True)
class Limb:
    """A line from one point (row, column) to another, thick and with round ends; all in pixels."""

    start: np.ndarray
    end: np.ndarray
    radius: float
    colour: np.ndarray  # float [3] in 0..255


def scene(person: bool, rng: np.random.Generator) -> np.ndarray:
    """uint8 [96, 96, 3]."""
    image = _background(rng)
    for _ in range(rng.integers(0, 3)):
        _draw(image, _thing(rng))
    subject = _person(rng) if person else [limb for _ in range(rng.integers(1, 3)) for limb in _scattered(_person(rng), rng)]
    for limb in subject:
        _draw(image, [limb])
    for _ in range(rng.integers(0, 2)):
        _draw(image, _thing(rng, largest=6))
    light = rng.uniform(0.5, 1.2) * (1 + rng.uniform(-0.3, 0.3) * (_COLUMNS / SIZE - 0.5))
    noise = rng.normal(0.0, rng.uniform(0.0, 6.0), image.shape)
    return np.clip(np.rint(image * light[..., None] + noise), 0, 255).astype(np.uint8)


def scenes(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """uint8 [n, 96, 96, 3] and labels int64 [n], 0 and 1 in turn; each depends on its place and the seed alone."""
    labels = np.arange(count) % 2
    return np.stack([scene(bool(label), np.random.default_rng([seed, index])) for index, label in enumerate(labels)]), labels


def _background(rng: np.random.Generator) -> np.ndarray:
    """Soft patches of two colours, from large to small; float32 [96, 96, 3]."""
    mixture = np.zeros((SIZE, SIZE), np.float32)
    for cells in (2, 4, 8, 16):
        patches = rng.random((cells + 1, cells + 1), np.float32) / cells**0.7
        mixture += _stretch(patches)
    mixture = (mixture - mixture.min()) / (mixture.max() - mixture.min())
    first, second = rng.uniform(20, 235, (2, 3))
    return (first + mixture[..., None] * (second - first)).astype(np.float32)


def _stretch(patches: np.ndarray) -> np.ndarray:
    """Bilinear: [96, 96] of [cells + 1, cells + 1]."""
    at = np.linspace(0, patches.shape[0] - 1.001, SIZE)
    whole, part = at.astype(int), (at % 1).astype(np.float32)
    rows = patches[whole] * (1 - part)[:, None] + patches[whole + 1] * part[:, None]
    return rows[:, whole] * (1 - part) + rows[:, whole + 1] * part


def _person(rng: np.random.Generator) -> list[Limb]:
    """Between half of the picture tall and taller than the picture, feet down; leaning a little."""
    height = rng.uniform(50, 110)
    lean = rng.normal(0.0, 0.12)
    neck = np.array([rng.uniform(18, 40), rng.uniform(20, SIZE - 20)])
    skin = np.array([220, 175, 145]) * rng.uniform(0.35, 1.1) + rng.normal(0, 6, 3)
    shirt, trousers = rng.uniform(10, 245, (2, 3))
    down = np.array([np.cos(lean), np.sin(lean)])
    across = np.array([-down[1], down[0]])
    hip = neck + 0.33 * height * down
    limbs = []
    for side in (-1, 1):
        foot_angle = lean + side * abs(rng.normal(0.08, 0.18))
        foot = hip + 0.5 * height * np.array([np.cos(foot_angle), np.sin(foot_angle)])
        limbs.append(Limb(hip + side * 0.05 * height * across, foot, 0.05 * height, trousers))
    limbs.append(Limb(neck + 0.08 * height * down, hip, 0.1 * height, shirt))
    for side in (-1, 1):
        shoulder = neck + 0.05 * height * down + side * 0.1 * height * across
        elbow = shoulder + 0.17 * height * _direction(lean + side * rng.uniform(0.0, 1.5))
        hand = elbow + 0.17 * height * _direction(lean + side * rng.uniform(-0.3, 2.8))
        limbs += [Limb(shoulder, elbow, 0.035 * height, shirt), Limb(elbow, hand, 0.03 * height, skin)]
    head = neck - 0.09 * height * down
    hair = rng.uniform(10, 120, 3)
    return [*limbs, Limb(head - 0.025 * height * down, head, 0.078 * height, hair), Limb(head + 0.02 * height * down, head, 0.065 * height, skin)]


def _direction(angle: float) -> np.ndarray:
    """Unit vector; 0 is down."""
    return np.array([np.cos(angle), np.sin(angle)])


def _scattered(limbs: list[Limb], rng: np.random.Generator) -> list[Limb]:
    """The same parts, each moved and turned on its own, some left out."""
    scattered = []
    for limb in limbs:
        if rng.random() < 0.35:
            continue
        turn = rng.uniform(0, 2 * np.pi)
        half = np.linalg.norm(limb.end - limb.start) / 2 * _direction(turn)
        centre = rng.uniform(5, SIZE - 5, 2)
        scattered.append(dataclasses.replace(limb, start=centre - half, end=centre + half))
    return scattered


def _thing(rng: np.random.Generator, largest: float = 16) -> list[Limb]:
    """A pole, a ball, a tree or a branch."""
    start = rng.uniform(-10, SIZE + 10, 2)
    along = rng.uniform(0, 70) * _direction(rng.uniform(0, 2 * np.pi))
    return [Limb(start, start + along, rng.uniform(1.5, largest), rng.uniform(0, 255, 3))]


def _draw(image: np.ndarray, limbs: list[Limb]) -> None:
    """Over what is there already; edges are a pixel soft."""
    for limb in limbs:
        along = limb.end - limb.start
        rows, columns = _ROWS - limb.start[0], _COLUMNS - limb.start[1]
        share = np.clip((rows * along[0] + columns * along[1]) / max(float(along @ along), 1e-6), 0, 1)
        distance = np.hypot(rows - share * along[0], columns - share * along[1])
        cover = np.clip(limb.radius + 0.5 - distance, 0, 1)[..., None]
        image += (cover * (limb.colour - image)).astype(np.float32)
