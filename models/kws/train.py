"""Trains the DS-CNN on synthesised speech and writes what models/kws commits: weights, calibration and evaluation windows.

Needs espeak-ng on the machine. Windows are synthesised once and cached; training takes about a quarter of an hour on one core.
"""

import argparse
import hashlib
import os
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from models.kws import features, synthesise
from models.kws.kws import DsCnn
from models.kws.labels import LABELS
from models.training import fit, round_weights, save_weights

BATCH = 64
COLOUR = torch.tensor([0.5, 1.5, 0.8, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.2])
CALIBRATION_PER_LABEL = 8
EVALUATION_PER_LABEL = 30


def load_windows(split: synthesise.Split, per_word: int, takes: int, seed: int, cache: Path) -> tuple[np.ndarray, np.ndarray]:
    """MFCCs float32 [n, 49, 10] and labels int64 [n] of a split, from the cache where the same were made before."""
    sources = b"".join(Path(module.__file__).read_bytes() for module in (synthesise, features))
    recipe = hashlib.sha256(sources + repr((split, per_word, takes, seed)).encode()).hexdigest()[:16]
    cached = cache / f"{split}_{recipe}.npz"
    if not cached.exists():
        mfccs, labels = [], []
        for window, label in synthesise.windows(split, per_word, takes, seed):
            mfccs.append(features.mfcc(window / 32768.0))
            labels.append(label)
            if len(labels) % 2000 == 0:
                print(f"synthesised {len(labels)} windows ({split})", flush=True)
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(cached, mfcc=np.stack(mfccs), label=np.array(labels, np.int64))
    with np.load(cached) as arrays:
        return arrays["mfcc"], arrays["label"]


def train(model: DsCnn, mfcc: torch.Tensor, label: torch.Tensor, epochs: int) -> None:
    """Fits the model to windows [n, 1, 49, 10] and their labels; prints a line an epoch."""
    fit(
        model,
        len(label),
        lambda batch, _: F.cross_entropy(model.logits(vary(mfcc[batch])), label[batch]),
        epochs=epochs,
        batch=BATCH,
        peak_rate=5e-3,
    )


def vary(mfcc: torch.Tensor) -> torch.Tensor:
    """The windows [n, 1, 49, 10] up to 80 ms earlier or later and through another microphone: a filter adds to each MFCC a
    constant, for the coarser ones more."""
    shift = torch.randint(-4, 5, (len(mfcc), 1))
    frames = (torch.arange(features.FRAMES) + shift).clamp(0, features.FRAMES - 1)
    colour = torch.randn(len(mfcc), 1, 1, features.COEFFICIENTS) * COLOUR
    return mfcc.gather(2, frames[:, None, :, None].expand_as(mfcc)) + colour


def predict(model: DsCnn, mfcc: np.ndarray) -> np.ndarray:
    """Class of each window, int64 [n] of float [n, 49, 10]."""
    model.eval()
    with torch.inference_mode():
        windows = torch.from_numpy(mfcc.astype(np.float32)).unsqueeze(1)
        return torch.cat([model(part).argmax(1) for part in windows.split(256)]).numpy()


def report(predicted: np.ndarray, label: np.ndarray) -> None:
    """Prints the accuracy per label and over all windows."""
    for index, name in enumerate(LABELS):
        mine = label == index
        print(f"  {name:8} {np.mean(predicted[mine] == index):7.2%} of {mine.sum()}")
    print(f"accuracy on held-out voices: {np.mean(predicted == label):.2%} of {len(label)} windows")


def write_windows(path: Path, mfcc: np.ndarray, label: np.ndarray, per_label: int) -> None:
    """Commits the first windows of each label as float16, in which MFCCs lose less than the model's int8 input does."""
    chosen = np.concatenate([np.flatnonzero(label == index)[:per_label] for index in range(len(LABELS))])
    np.savez_compressed(path, mfcc=mfcc[chosen].astype(np.float16), label=label[chosen].astype(np.uint8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("models/kws"), help="folder for the three .npz files")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/kindling/kws", help="folder for synthesised windows")
    parser.add_argument("--per-word", type=int, default=1000, help="utterances of each word to train on")
    parser.add_argument("--takes", type=int, default=3, help="recordings of each of these utterances")
    parser.add_argument("--held-out-per-word", type=int, default=200, help="utterances of each word to measure accuracy on")
    parser.add_argument("--epochs", type=int, default=16, help="passes over the training windows")
    parser.add_argument("--seed", type=int, default=1, help="of speech, initial weights and order")
    parser.add_argument("--threads", type=int, default=1, help="processor cores for training")
    arguments = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)

    try:
        mfcc, label = load_windows("training", arguments.per_word, arguments.takes, arguments.seed, arguments.cache)
        held_out_mfcc, held_out_label = load_windows("held_out", arguments.held_out_per_word, 1, arguments.seed, arguments.cache)
    except RuntimeError as error:
        sys.exit(f"train: {error}")
    print(f"{len(label)} windows to train on, {len(held_out_label)} of held-out voices")

    model = DsCnn().to(memory_format=torch.channels_last)
    train(model, torch.from_numpy(mfcc).unsqueeze(1), torch.from_numpy(label), arguments.epochs)
    round_weights(model.eval())
    report(predict(model, held_out_mfcc), held_out_label)
    save_weights(arguments.output / "weights.npz", model)
    write_windows(arguments.output / "calibration.npz", mfcc, label, CALIBRATION_PER_LABEL)
    write_windows(arguments.output / "evaluation.npz", held_out_mfcc, held_out_label, EVALUATION_PER_LABEL)
    print(f"written to {arguments.output}: weights.npz, calibration.npz, evaluation.npz")


if __name__ == "__main__":
    main()
