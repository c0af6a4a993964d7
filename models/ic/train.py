"""Trains the ResNet-8 on coloured digits and writes what models/ic commits: weights, calibration and evaluation images.

Needs scikit-learn, which nothing else here does. Takes a few minutes on one core.
"""

import argparse
import functools
import os
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from models.ic import digits
from models.ic.ic import ResNet8
from models.training import fit, round_weights, save_weights

BATCH = 64
CALIBRATION = 24


def as_inputs(images: np.ndarray) -> torch.Tensor:
    """float32 [n, 3, 32, 32] of uint8 [n, 32, 32, 3]."""
    return torch.from_numpy(images).permute(0, 3, 1, 2).float()


def train(model: ResNet8, strokes: np.ndarray, label: np.ndarray, epochs: int) -> None:
    """Fits the model to new pictures of the same digits in every epoch; prints a line each."""
    labels = torch.from_numpy(label)

    @functools.lru_cache(maxsize=1)
    def images(epoch: int) -> torch.Tensor:
        return as_inputs(digits.pictures(strokes, seed=epoch))

    def loss_of(batch: torch.Tensor, epoch: int) -> torch.Tensor:
        return F.cross_entropy(model.logits(images(epoch)[batch]), labels[batch])

    fit(model, len(label), loss_of, epochs=epochs, batch=BATCH, peak_rate=5e-3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("models/ic"), help="folder for the three .npz files")
    parser.add_argument("--epochs", type=int, default=40, help="passes over the training digits")
    parser.add_argument("--seed", type=int, default=1, help="of initial weights and order")
    arguments = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    try:
        (strokes, label), (held_out_strokes, held_out_label) = digits.load()
    except ImportError:
        sys.exit("train: scikit-learn, which holds the data set, is missing; pip install scikit-learn")

    model = ResNet8()
    train(model, strokes, label, arguments.epochs)
    round_weights(model.eval())
    held_out = digits.pictures(held_out_strokes, seed=0)
    with torch.inference_mode():
        right = model(as_inputs(held_out)).argmax(1).numpy() == held_out_label
    print(f"accuracy on digits of other writers: {right.mean():.2%} of {len(right)}")

    save_weights(arguments.output / "weights.npz", model)
    np.savez_compressed(arguments.output / "calibration.npz", image=digits.pictures(strokes[:CALIBRATION], seed=0))
    np.savez_compressed(arguments.output / "evaluation.npz", strokes=np.rint(held_out_strokes * 16).astype(np.uint8), label=held_out_label.astype(np.uint8))
    print(f"written to {arguments.output}: weights.npz, calibration.npz, evaluation.npz")


if __name__ == "__main__":
    main()
