"""What the training scripts of the models share."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn

# Enough that no result changes noticeably; few enough that files in git are half as large.
MANTISSA_BITS = 12


def batches(count: int, size: int) -> Iterator[torch.Tensor]:
    """Indices of 0..count-1 in random order, `size` at a time; what does not fill a batch is left out."""
    order = torch.randperm(count)
    for start in range(0, count - size + 1, size):
        yield order[start : start + size]


def rounded(values: np.ndarray) -> np.ndarray:
    """float32 of which only the upper 12 bits of mantissa are used.

    >>> rounded(np.array([1 + 2**-11, 1 + 2**-20], np.float32)) - 1
    array([0.00048828, 0.        ], dtype=float32)
    """
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(mantissa, MANTISSA_BITS)), exponent - MANTISSA_BITS)


@torch.no_grad()
def round_weights(model: nn.Module) -> None:
    """Rounds every parameter and statistic in place, so that what is measured is what is saved."""
    for tensor in model.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.from_numpy(rounded(tensor.numpy())))


def save_weights(path: Path, model: nn.Module) -> None:
    """Writes the model's state as a compressed .npz, an array for each name."""
    np.savez_compressed(path, **{name: tensor.numpy() for name, tensor in model.state_dict().items()})
