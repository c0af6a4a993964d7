"""Trains the wake word model on synthesised speech and writes what models/sww commits: weights, calibration and evaluation windows.

Needs espeak-ng on the machine. Takes about five minutes on one core, most of them for speech.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from models.kws import synthesise
from models.sww import speech
from models.sww.features import log_mel
from models.sww.sww import LABELS, WakeWord
from models.training import fit, round_weights, save_weights

BATCH = 64
TAKES = 4
CALIBRATION_PER_LABEL = 8
EVALUATION_PER_LABEL = 25


def load_windows(split: synthesise.Split, count: int, takes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Log-mel windows uint8 [n, 30, 40], 255 for 1, which is as fine as the model's int8 input; and labels int64 [n]."""
    windows, label = [], []
    for second, index in speech.seconds(split, count, takes, seed):
        windows.append(np.rint(log_mel(second / 32768) * 255).astype(np.uint8))
        label.append(index)
    return np.stack(windows), np.array(label, np.int64)


def as_inputs(windows: np.ndarray) -> torch.Tensor:
    """float32 [n, 40, 30, 1] in 0..1 of uint8 [n, 30, 40]."""
    return torch.from_numpy(windows).transpose(1, 2).unsqueeze(3) / 255


def train(model: WakeWord, windows: np.ndarray, label: np.ndarray, epochs: int) -> None:
    """Fits the model to windows and their labels; prints a line an epoch."""
    inputs, labels = as_inputs(windows), torch.from_numpy(label)
    fit(
        model,
        len(label),
        lambda batch, _: F.cross_entropy(model.logits(inputs[batch]), labels[batch]),
        epochs=epochs,
        batch=BATCH,
        peak_rate=4e-3,
    )


def write_windows(path: Path, windows: np.ndarray, label: np.ndarray, per_label: int) -> None:
    """Commits the first windows of each label."""
    chosen = np.concatenate([np.flatnonzero(label == index)[:per_label] for index in range(len(LABELS))])
    np.savez_compressed(path, log_mel=windows[chosen], label=label[chosen].astype(np.uint8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("models/sww"), help="folder for the three .npz files")
    parser.add_argument("--utterances", type=int, default=2400, help="utterances to train on, a third of them the wake word")
    parser.add_argument("--held-out", type=int, default=600, help="utterances of other voices to measure accuracy on")
    parser.add_argument("--epochs", type=int, default=20, help="passes over the training windows")
    parser.add_argument("--seed", type=int, default=1, help="of speech, initial weights and order")
    arguments = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    try:
        windows, label = load_windows("training", arguments.utterances, TAKES, arguments.seed)
        held_out, held_out_label = load_windows("held_out", arguments.held_out, 1, arguments.seed)
    except RuntimeError as error:
        sys.exit(f"train: {error}")
    print(f"{len(label)} windows to train on, {len(held_out_label)} of held-out voices", flush=True)

    model = WakeWord()
    train(model, windows, label, arguments.epochs)
    round_weights(model.eval())
    with torch.inference_mode():
        right = model(as_inputs(held_out)).argmax(1).numpy() == held_out_label
    for index, name in enumerate(LABELS):
        mine = held_out_label == index
        print(f"  {name:8} {right[mine].mean():7.2%} of {mine.sum()}")
    print(f"accuracy on held-out voices: {right.mean():.2%} of {len(right)} windows")

    save_weights(arguments.output / "weights.npz", model)
    write_windows(arguments.output / "calibration.npz", windows, label, CALIBRATION_PER_LABEL)
    write_windows(arguments.output / "evaluation.npz", held_out, held_out_label, EVALUATION_PER_LABEL)
    print(f"written to {arguments.output}: weights.npz, calibration.npz, evaluation.npz")


if __name__ == "__main__":
    main()
