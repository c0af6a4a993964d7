"""The committed model recognises voices it was not trained on."""

from pathlib import Path

import numpy as np
import pytest
import torch

from models.kws import features, kws
from models.kws.labels import LABELS, WORDS

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def model() -> kws.DsCnn:
    return kws.build_model()


def _scores(model: kws.DsCnn, mfcc: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return model(torch.from_numpy(mfcc.astype(np.float32)).unsqueeze(1)).numpy()


def test_at_least_91_percent_of_held_out_voices_are_recognised(model: kws.DsCnn) -> None:
    with np.load(HERE / "evaluation.npz") as windows:
        mfcc, label = windows["mfcc"], windows["label"]
    assert np.bincount(label).tolist() == [30] * len(LABELS)
    assert np.mean(_scores(model, mfcc).argmax(1) == label) >= 0.91


@pytest.mark.parametrize("word", WORDS)
def test_the_recording_of_each_word_is_recognised(model: kws.DsCnn, word: str) -> None:
    mfcc = features.mfcc(features.loudest_second(features.read_wav(HERE / f"testdata/{word}.wav")))
    (scores,) = _scores(model, mfcc[None])
    assert LABELS[scores.argmax()] == word
    assert scores.max() > 0.5


def test_digital_silence_is_silence(model: kws.DsCnn) -> None:
    (scores,) = _scores(model, features.mfcc(np.zeros(features.SECOND))[None])
    assert LABELS[scores.argmax()] == "silence"


def test_scores_are_probabilities_of_the_labels(model: kws.DsCnn) -> None:
    with torch.inference_mode():
        scores = model(*kws.example_inputs())
    assert scores.shape == (1, len(LABELS)) and scores.dtype == torch.float32
    assert scores.sum().item() == pytest.approx(1.0)


def test_the_model_has_the_layers_and_the_size_of_mlperf_tinys() -> None:
    convolutions = [module for module in kws.DsCnn().modules() if isinstance(module, torch.nn.Conv2d)]
    shapes = [tuple(convolution.weight.shape) for convolution in convolutions]
    assert shapes == [(64, 1, 10, 4), *[(64, 1, 3, 3), (64, 64, 1, 1)] * 4]
    assert kws.DsCnn().stem(torch.zeros(1, 1, 49 + 9, 10 + 2)).shape == (1, 64, 25, 5)


def test_calibration_has_windows_of_the_models_shape() -> None:
    inputs = list(kws.calibration())
    assert len(inputs) == 8 * len(LABELS)
    assert {(window.shape, window.dtype) for (window,) in inputs} == {((1, 1, 49, 10), torch.float32)}


def test_missing_weights_are_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kws, "WEIGHTS", tmp_path / "weights.npz")
    with pytest.raises(FileNotFoundError) as error:
        kws.build_model()
    assert str(error.value) == "weights.npz is missing beside kws.py; train.py makes it"
