"""Our DS-CNN is MLPerf Tiny's, in our front end's and in the compiler's hands too.

Runs where the published weights and samples are at hand, see models/official.py.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from models import host_int8
from models.kws import features, official
from models.kws.labels import LABELS, WORDS
from models.official import official_file, official_folder

pytestmark = pytest.mark.skipif(official_folder() is None, reason="MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")


@pytest.fixture
def sample() -> dict[str, np.ndarray]:
    with np.load(official_file("kws_samples.npz")) as arrays:
        return dict(arrays)


def test_float_outputs_agree_with_the_published_ones(sample: dict[str, np.ndarray]) -> None:
    with torch.inference_mode():
        output = official.build_model()(torch.from_numpy(sample["input_nhwc"]).permute(0, 3, 1, 2))
    np.testing.assert_allclose(output.numpy(), sample["float_output"], rtol=0, atol=1e-4)


def test_int8_class_is_that_of_the_published_int8_model(sample: dict[str, np.ndarray]) -> None:
    program = host_int8.program(host_int8.quantise("models.kws.official"))
    (scores,) = host_int8.outputs(program, sample["input_nhwc"].transpose(0, 3, 1, 2))
    assert scores.argmax() == sample["tflite_int8_output"].argmax()


def test_the_official_model_understands_our_recordings_through_our_front_end() -> None:
    """It learnt from people, through MLPerf Tiny's own front end: features or labels out of place would leave it at a loss."""
    model = official.build_model()
    mfccs = [features.mfcc(features.read_wav(Path(__file__).parent / f"testdata/{word}.wav")) for word in WORDS]
    with torch.inference_mode():
        heard = [LABELS[label] for label in model(torch.from_numpy(np.stack(mfccs)).unsqueeze(1)).argmax(1)]
    assert sum(word == hearing for word, hearing in zip(WORDS, heard, strict=True)) >= 6, heard
