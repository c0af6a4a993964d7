"""Our MobileNetV1 is MLPerf Tiny's, and stays so in int8.

Runs where the published weights and samples are at hand, see models/official.py.
"""

import numpy as np
import pytest
import torch

from models import host_int8
from models.official import layers, official_file, official_folder, published_layers
from models.vww import official

pytestmark = pytest.mark.skipif(official_folder() is None, reason="MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")


@pytest.fixture
def samples() -> dict[str, np.ndarray]:
    with np.load(official_file("vww_samples.npz")) as arrays:
        return {name: arrays[name] for name in arrays.files} | {"input": arrays["input_nhwc"].transpose(0, 3, 1, 2)}


def test_layers_are_the_published_ones() -> None:
    assert layers(official.build_model(), official.example_inputs()) == published_layers("vww")


def test_float_outputs_agree_with_the_published_ones(samples: dict[str, np.ndarray]) -> None:
    with torch.inference_mode():
        output = official.build_model()(torch.from_numpy(samples["input"]))
    np.testing.assert_allclose(output.numpy(), samples["float_output"], rtol=0, atol=1e-4)


def test_int8_agrees_with_float_in_class(samples: dict[str, np.ndarray]) -> None:
    program = host_int8.program(host_int8.quantise("models.vww.official"))
    answers = host_int8.outputs(program, samples["input"])
    assert answers.argmax(1).tolist() == samples["float_output"].argmax(1).tolist()
