"""What the training scripts of the models share."""

import time
from collections.abc import Callable, Iterator
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


def fit(
    model: nn.Module,
    count: int,
    loss_of: Callable[[torch.Tensor, int], torch.Tensor],
    *,
    epochs: int,
    batch: int,
    peak_rate: float,
    weight_decay: float = 1e-2,
) -> None:
    """Trains the model in place by AdamW, its learning rate in one cycle up to `peak_rate`; prints a line an epoch.

    `loss_of(indices, epoch)` is the scalar loss of a batch of the `count` samples; epochs count from 1.
    """
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=peak_rate, total_steps=epochs * (count // batch))
    model.train()
    for epoch in range(1, epochs + 1):
        start, losses = time.monotonic(), []
        for indices in batches(count, batch):
            loss = loss_of(indices, epoch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch:2}/{epochs}: loss {np.mean(losses):.4f}, {time.monotonic() - start:.0f} s", flush=True)


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
