"""Windows that say how good the model is: by voices that training has not heard."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

EVALUATION = Path(__file__).with_name("evaluation.npz")


def samples() -> Iterator[tuple[torch.Tensor, int]]:
    """Windows float32 [1, 40, 30, 1] and what they are, a number of LABELS."""
    with np.load(EVALUATION) as arrays:
        windows, labels = arrays["log_mel"], arrays["label"]  # uint8 [n, 30, 40], 255 for 1; uint8 [n]
    for window, label in zip(windows, labels, strict=True):
        yield torch.from_numpy(window).T[None, :, :, None] / 255, int(label)
