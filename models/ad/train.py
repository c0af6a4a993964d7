"""Trains the autoencoder on sounds of healthy machines and writes what models/ad commits: weights and calibration windows.

Takes about a minute on one core.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from models.ad import machines
from models.ad.ad import Autoencoder, anomaly_score
from models.ad.features import log_mel
from models.training import fit, round_weights, save_weights

BATCH = 256
CALIBRATION = 48


def recordings(count: int, seed: int) -> list[np.ndarray]:
    """Log-mel windows [n, 640] of each of `count` healthy machines."""
    return [log_mel(machines.healthy(np.random.default_rng([seed, index]))) for index in range(count)]


def faulty_recordings(count: int, seed: int) -> list[np.ndarray]:
    """Of `count` machines with each fault, fault after fault."""
    return [
        log_mel(fault(np.random.default_rng([seed, number, index])))
        for number, fault in enumerate(machines.FAULTS)
        for index in range(count)
    ]


def train(model: Autoencoder, windows: torch.Tensor, epochs: int) -> None:
    """Fits the model to windows [n, 640]; prints a line an epoch."""
    # The first layer sees decibels with a mean far from 0; its BatchNorm takes care of that.
    fit(
        model,
        len(windows),
        lambda batch, _: F.mse_loss(model(windows[batch]), windows[batch]),
        epochs=epochs,
        batch=BATCH,
        peak_rate=4e-3,
        weight_decay=0,
    )


def area_under_roc(healthy: np.ndarray, faulty: np.ndarray) -> float:
    """How often a faulty machine has the higher score of two."""
    return float(np.mean(faulty[:, None] > healthy[None, :]))


def scores(model: Autoencoder, recordings: list[np.ndarray]) -> np.ndarray:
    """The mean anomaly score of each recording."""
    with torch.inference_mode():
        return np.array([anomaly_score(windows, model(torch.from_numpy(windows)).numpy()).mean() for windows in recordings])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("models/ad"), help="folder for the two .npz files")
    parser.add_argument("--recordings", type=int, default=150, help="healthy machines to learn from, four seconds each")
    parser.add_argument("--epochs", type=int, default=20, help="passes over their windows")
    parser.add_argument("--seed", type=int, default=1, help="of sounds, initial weights and order")
    arguments = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)

    windows = np.concatenate(recordings(arguments.recordings, arguments.seed))
    print(f"{len(windows)} windows of {arguments.recordings} healthy machines")
    model = Autoencoder()
    train(model, torch.from_numpy(windows), arguments.epochs)
    round_weights(model.eval())

    healthy, faulty = recordings(40, arguments.seed + 1), faulty_recordings(10, arguments.seed + 1)
    print(f"area under ROC, 40 healthy and 40 faulty machines not heard before: {area_under_roc(scores(model, healthy), scores(model, faulty)):.3f}")
    for fault, start in zip(machines.FAULTS, range(0, 40, 10)):
        area = area_under_roc(scores(model, healthy), scores(model, faulty[start : start + 10]))
        print(f"  {fault.__name__:12} {area:.3f}")

    save_weights(arguments.output / "weights.npz", model)
    chosen = windows[np.arange(CALIBRATION) * len(windows) // CALIBRATION]
    np.savez_compressed(arguments.output / "calibration.npz", log_mel=chosen.astype(np.float16))
    print(f"written to {arguments.output}: weights.npz, calibration.npz")


if __name__ == "__main__":
    main()
