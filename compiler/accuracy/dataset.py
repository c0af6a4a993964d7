"""Labelled samples in a .npz: one array per input (any name, if the model has one), samples along the first axis, and `label`, integers [n]."""

import dataclasses
from pathlib import Path

import numpy as np

from compiler.errors import CompileError
from compiler.frontend.calibration import archive_samples
from compiler.frontend.capture import Captured, Sample

LABELS = "label"


@dataclasses.dataclass(frozen=True)
class Dataset:
    samples: tuple[Sample, ...]
    labels: tuple[int, ...]


def read_dataset(path: str, captured: Captured) -> Dataset:
    """Raises CompileError if the file is no such archive, is empty, or does not suit the model."""
    samples = tuple(archive_samples(Path(path), captured, beside=LABELS))
    with np.load(path, allow_pickle=False) as archive:
        if LABELS not in archive.files:
            raise CompileError(f"{path} has no array {LABELS}, only {', '.join(archive.files)}")
        labels = archive[LABELS]
    if labels.shape != (len(samples),) or labels.dtype.kind not in "iu":
        raise CompileError(f"{path}: {LABELS} must be {len(samples)} integers, one per sample; it is {labels.dtype}{list(labels.shape)}")
    if not samples:
        raise CompileError(f"{path} is empty")
    return Dataset(samples, tuple(int(label) for label in labels))
