"""Trains the MobileNetV1 on drawn scenes and writes what models/vww commits: weights and calibration images.

Takes about ten minutes on one core.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from models.training import fit, round_weights, save_weights
from models.vww import scenes
from models.vww.vww import MobileNetV1

BATCH = 32
HELD_OUT = 400
CALIBRATION = 8


def as_inputs(images: np.ndarray) -> torch.Tensor:
    """float32 [n, 3, 96, 96] in 0..1 of uint8 [n, 96, 96, 3]."""
    return torch.from_numpy(images).permute(0, 3, 1, 2) / 255


def train(model: MobileNetV1, images: np.ndarray, label: np.ndarray, epochs: int) -> None:
    """Fits the model to images and their mirror images; prints a line an epoch."""
    labels = torch.from_numpy(label)

    def loss_of(batch: torch.Tensor, _: int) -> torch.Tensor:
        inputs = as_inputs(images[batch.numpy()])
        if torch.rand(()) < 0.5:
            inputs = inputs.flip(3)
        return F.cross_entropy(model.logits(inputs), labels[batch])

    fit(model, len(label), loss_of, epochs=epochs, batch=BATCH, peak_rate=6e-3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("models/vww"), help="folder for the two .npz files")
    parser.add_argument("--scenes", type=int, default=3000, help="scenes to train on")
    parser.add_argument("--epochs", type=int, default=16, help="passes over them")
    parser.add_argument("--seed", type=int, default=1, help="of scenes, initial weights and order")
    arguments = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)

    images, label = scenes.scenes(arguments.scenes, arguments.seed)
    print(f"{len(label)} scenes drawn", flush=True)
    model = MobileNetV1()
    train(model, images, label, arguments.epochs)
    round_weights(model.eval())
    held_out, held_out_label = scenes.scenes(HELD_OUT, arguments.seed + 1)
    with torch.inference_mode():
        right = np.concatenate([model(as_inputs(part)).argmax(1).numpy() for part in np.split(held_out, 8)]) == held_out_label
    print(f"accuracy on scenes not seen before: {right.mean():.2%} of {len(right)}")

    save_weights(arguments.output / "weights.npz", model)
    # With 32 levels of each colour instead of 256 the file is a third as large.
    np.savez_compressed(arguments.output / "calibration.npz", image=images[:CALIBRATION] // 8 * 8 + 4)
    print(f"written to {arguments.output}: weights.npz, calibration.npz")


if __name__ == "__main__":
    main()
