"""Our ResNet-8 is MLPerf Tiny's, and stays so in int8.

Runs where the published weights are at hand, see models/official.py. There are no published samples of this model.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from models import host_int8
from models.ic import digits, official
from models.official import layers, official_folder, published_layers

pytestmark = pytest.mark.skipif(official_folder() is None, reason="MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")


def test_layers_are_the_published_ones() -> None:
    assert layers(official.build_model(), official.example_inputs()) == published_layers("ic")


def test_int8_agrees_with_float_in_class_where_float_is_sure() -> None:
    """On pictures of digits, which look to it like one thing or another of CIFAR-10."""
    with np.load(Path(__file__).with_name("evaluation.npz")) as arrays:
        images = digits.pictures(arrays["strokes"][::4] / np.float32(16), seed=0).transpose(0, 3, 1, 2).astype(np.float32)
    with torch.inference_mode():
        expected = official.build_model()(torch.from_numpy(images)).numpy()
    answers = host_int8.outputs(host_int8.program(host_int8.quantise("models.ic.official")), images)
    sure = expected.max(1) > 0.6
    assert sure.sum() >= 20 and len(set(expected[sure].argmax(1))) >= 3
    assert np.mean((answers.argmax(1) == expected.argmax(1))[sure]) >= 0.95
