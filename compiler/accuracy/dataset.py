"""Labelled samples.

A .npz with one array per input (any name, if the model has one), samples along the first axis, and `label`, integers [n]; or
"module:function", which yields (inputs, label) per sample, the inputs as in calibration data. Where a sequence of a model with
state begins, both say so as calibration data does.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from compiler.errors import CompileError
from compiler.frontend.calibration import archive_samples, checked, is_reset, tensors_of
from compiler.frontend.capture import Captured
from compiler.frontend.streams import RESET, Item
from compiler.frontend.user_code import UserCode

LABELS = "label"


@dataclasses.dataclass(frozen=True)
class Dataset:
    """`labels` are one for each sample; between these there may be RESETs."""

    samples: tuple[Item, ...]
    labels: tuple[int, ...]


def read_dataset(origin: str, code: UserCode, captured: Captured) -> Dataset:
    """Raises CompileError if there are no such samples, or they do not suit the model."""
    samples, labels = _yielded(origin, code, captured) if ":" in origin else _archived(origin, captured)
    if not samples:
        raise CompileError(f"{origin} is empty")
    return Dataset(tuple(samples), tuple(int(label) for label in labels))


def _archived(path: str, captured: Captured) -> tuple[Sequence[Item], np.ndarray]:
    samples = tuple(archive_samples(Path(path), captured, beside=LABELS))
    with np.load(path, allow_pickle=False) as archive:
        if LABELS not in archive.files:
            raise CompileError(f"{path} has no array {LABELS}, only {', '.join(archive.files)}")
        labels = archive[LABELS]
    count = sum(sample is not RESET for sample in samples)
    if labels.shape != (count,) or labels.dtype.kind not in "iu":
        raise CompileError(
            f"{path}: {LABELS} must be {count} integers, one per sample; it is {labels.dtype}{list(labels.shape)}"
        )
    return samples, labels


def _yielded(origin: str, code: UserCode, captured: Captured) -> tuple[Sequence[Item], Sequence[int]]:
    samples, labels = [], []
    for item in code.iterate(code.samples(origin)):
        if is_reset(item, origin, captured):
            samples.append(RESET)
            continue
        index = len(labels)
        if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], (int, np.integer))):
            raise CompileError(f"{origin}: sample {index} must be (inputs, label), the label an integer")
        samples.append(checked(tensors_of(item[0], origin, captured), f"{origin}: sample {index}", captured))
        labels.append(item[1])
    return samples, labels
