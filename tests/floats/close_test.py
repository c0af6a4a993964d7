"""What firmware answers in float, the same bytes on every core, is what PyTorch says within 2e-6."""

import os
import pathlib

import numpy as np
import torch

from models.kws import kws
from tests.floats import mixture

TOLERANCE = 2e-6


def recorded(name: str, file: str, dtype: str = "<f4") -> np.ndarray:
    return np.frombuffer(pathlib.Path(os.environ[f"{name}_{file}".upper()]).read_bytes(), dtype)


def test_keyword_spotting_gives_the_models_probabilities() -> None:
    inputs = recorded("kws", "inputs").reshape(3, 1, 1, kws.FRAMES, kws.COEFFICIENTS)
    outputs = recorded("kws", "expected").reshape(3, kws.CLASSES)
    model = kws.build_model().eval()
    with torch.no_grad():
        wanted = torch.cat([model(torch.from_numpy(x.copy())) for x in inputs]).numpy()
    assert len(set(wanted.argmax(1))) > 1
    assert np.abs(outputs - wanted).max() <= TOLERANCE
    assert np.array_equal(outputs.argmax(1), wanted.argmax(1))


def test_a_mixture_of_operators_gives_what_the_model_says() -> None:
    channels_last = recorded("mixture", "inputs").reshape(2, 1, 10, 9, 3)
    outputs = recorded("mixture", "expected", "<u4").reshape(2, 16)
    model = mixture.build_model().eval()
    for x, output in zip(channels_last, outputs):
        with torch.no_grad():
            probabilities, logarithms, largest, least = model(torch.from_numpy(x.transpose(0, 3, 1, 2).copy()))
        assert np.abs(output[:7].view("<f4") - probabilities.numpy()[0]).max() <= TOLERANCE
        assert np.allclose(output[7:14].view("<f4"), logarithms.numpy()[0], rtol=TOLERANCE, atol=TOLERANCE)
        assert list(output[14:]) == [int(largest), int(least)]
