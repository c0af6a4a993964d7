"""Writes samples of a .npz as the inputs of a firmware, one after another: what its test runs on."""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np


def quantise(samples: np.ndarray, port: dict) -> np.ndarray:
    """What a port takes for each of the real samples: float32, or int8 or int16, rounded to the nearest (ties to even) and saturated.

    Samples are laid out like the firmware's input (NHWC), of which axes of size 1 may be missing. Raises ValueError.
    """
    wanted = [size for size in port["shape"] if size != 1]
    if [size for size in samples.shape[1:] if size != 1] != wanted:
        raise ValueError(f"samples of shape {list(samples.shape[1:])}, but the firmware takes {port['shape']}")
    if port["dtype"] == "float32":
        return samples.astype(np.float32)
    steps = np.rint(samples.astype(np.float64) / port["scale"]) + port["zero_point"]
    range_ = np.iinfo(port["dtype"])
    return np.clip(steps, range_.min, range_.max).astype(port["dtype"])


def spread(samples: np.ndarray, count: int) -> np.ndarray:
    """`count` of the samples, spread evenly over them and so over their labels. Raises ValueError if there are fewer."""
    if not 0 < count <= len(samples):
        raise ValueError(f"--count={count}, but there are {len(samples)} samples")
    return samples[np.arange(count) * len(samples) // count]


def record(path: Path, array: str, unit: Fraction, count: int, plan: Path, sequences: bool = False) -> bytes:
    """`sequences`: each sample is a sequence of inputs along its own first axis. Raises OSError or ValueError."""
    with np.load(path) as arrays:
        if array not in arrays.files:
            raise ValueError(f"{path} has no array {array}, only {', '.join(arrays.files)}")
        samples = arrays[array]
    ports = json.loads(plan.read_text())["inputs"]
    if len(ports) != 1 or ports[0]["dtype"] not in ("int8", "int16", "float32"):
        raise ValueError(f"{plan}: not the plan of a model with one input of int8, int16 or float32")
    chosen = spread(samples, count)
    return quantise((np.concatenate(chosen) if sequences else chosen) * float(unit), ports[0]).tobytes()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--samples", type=Path, required=True, help="the .npz")
    parser.add_argument("--array", required=True, help="its array with the samples along the first axis")
    parser.add_argument("--unit", type=Fraction, default=Fraction(1), help="what 1 in the array stands for in the model's input, e.g. 1/255")
    parser.add_argument("--sequences", action="store_true", help="each sample is a sequence of inputs along its own first axis")
    parser.add_argument("--count", type=int, required=True, help="how many samples, spread evenly over the array")
    parser.add_argument("--plan", type=Path, required=True, help="plan.json of the compiled model")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    given = parser.parse_args(arguments)
    try:
        given.output.write_bytes(record(given.samples, given.array, given.unit, given.count, given.plan, given.sequences))
    except (OSError, ValueError) as error:
        sys.exit(f"record_inputs: {error}")


if __name__ == "__main__":
    main()
