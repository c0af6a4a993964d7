"""Images that say how good the model is: digits by writers that training has not seen."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from models.ic.digits import pictures

EVALUATION = Path(__file__).with_name("evaluation.npz")


def samples() -> Iterator[tuple[torch.Tensor, int]]:
    """Images float32 [1, 3, 32, 32], and the digits on them."""
    with np.load(EVALUATION) as arrays:
        strokes, labels = arrays["strokes"], arrays["label"]  # uint8 [n, 8, 8], 16 for 1; uint8 [n]
    for image, label in zip(pictures(strokes / np.float32(16), seed=0), labels, strict=True):
        yield torch.from_numpy(image).permute(2, 0, 1)[None].float(), int(label)
