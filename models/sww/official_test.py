"""Our wake word model is MLPerf Tiny's, and stays so in int8.

Runs where the published weights and samples are at hand, see models/official.py.
"""

import numpy as np
import pytest
import torch

from models import host_int8
from models.official import official_file, official_folder, published_layers
from models.sww import official

pytestmark = pytest.mark.skipif(official_folder() is None, reason="MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")


@pytest.fixture
def samples() -> dict[str, np.ndarray]:
    with np.load(official_file("sww_samples.npz")) as arrays:
        published = (arrays["tflite_int8_output"].astype(np.float32) + 128) / 256
        return {"input": arrays["input_nhwc"].transpose(0, 3, 1, 2), "label": arrays["labels"], "published": published}


def test_layers_are_the_published_ones() -> None:
    ours = {name: list(tensor.shape) for name, tensor in official.build_model().state_dict().items()}
    published = {official.our_name(name): shape for name, shape in published_layers("sww")}
    assert {name: shape for name, shape in ours.items() if not name.endswith("num_batches_tracked")} == published


def test_float_agrees_with_the_published_int8_model(samples: dict[str, np.ndarray]) -> None:
    """No float outputs are published; int8 ones are off by up to 0.05, on average by 1/256 at most."""
    with torch.inference_mode():
        output = official.build_model()(torch.from_numpy(samples["input"])).numpy()
    assert output.argmax(1).tolist() == samples["published"].argmax(1).tolist()
    difference = np.abs(output - samples["published"])
    assert difference.max() < 0.06 and difference.mean() < 1 / 256


def test_int8_is_at_least_as_often_right_as_the_published_int8_model(samples: dict[str, np.ndarray]) -> None:
    program = host_int8.program(host_int8.quantise("models.sww.official"))
    answers = host_int8.outputs(program, samples["input"])
    right, published_right = ((scores.argmax(1) == samples["label"]).sum() for scores in (answers, samples["published"]))
    assert right >= published_right == 41
