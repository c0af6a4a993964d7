"""Writes normally distributed float32, the same every time: `write_noise.py COUNT FILE`."""

import pathlib
import sys

import numpy as np

if __name__ == "__main__":
    noise = np.random.default_rng(1).normal(size=int(sys.argv[1])).astype("<f4")
    pathlib.Path(sys.argv[2]).write_bytes(noise.tobytes())
