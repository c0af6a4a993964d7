"""The int8 model, computed as every core does, loses next to nothing against the float one."""

from pathlib import Path

import numpy as np
import pytest
import torch

from models import host_int8
from models.kws import kws

EVALUATION = Path(__file__).with_name("evaluation.npz")


@pytest.fixture(scope="module")
def mfcc() -> np.ndarray:
    """Windows of held-out voices: float32 [360, 1, 49, 10]."""
    with np.load(EVALUATION) as windows:
        return windows["mfcc"][:, None].astype(np.float32)


@pytest.fixture(scope="module")
def label() -> np.ndarray:
    with np.load(EVALUATION) as windows:
        return windows["label"]


@pytest.fixture(scope="module")
def heard(mfcc: np.ndarray) -> np.ndarray:
    return host_int8.outputs(host_int8.program(host_int8.quantise("models.kws.kws")), mfcc).argmax(1)


def test_int8_recognises_at_least_90_percent_of_held_out_voices(heard: np.ndarray, label: np.ndarray) -> None:
    assert np.mean(heard == label) >= 0.90


def test_int8_and_float_hear_the_same_word(heard: np.ndarray, mfcc: np.ndarray) -> None:
    with torch.inference_mode():
        float_heard = kws.build_model()(torch.from_numpy(mfcc)).argmax(1).numpy()
    assert np.mean(heard == float_heard) >= 0.97
