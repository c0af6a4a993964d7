"""Our autoencoder is MLPerf Tiny's, and stays so in int8.

Runs where the published weights are at hand, see models/official.py. There are no published samples of this model.
"""

import numpy as np
import pytest
import torch

from models import host_int8
from models.ad import machines, official
from models.ad.ad import anomaly_score
from models.ad.features import log_mel
from models.official import layers, official_folder, published_layers

pytestmark = pytest.mark.skipif(official_folder() is None, reason="MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")


def test_layers_are_the_published_ones() -> None:
    assert layers(official.build_model(), official.example_inputs()) == published_layers("ad")


def test_int8_reconstructs_within_2_percent_of_float() -> None:
    """Our machines, which are none of those it has learnt."""
    windows = np.concatenate([log_mel(machines.healthy(np.random.default_rng([99, index]))) for index in range(3)])[::3]
    with torch.inference_mode():
        expected = official.build_model()(torch.from_numpy(windows)).numpy()
    answers = host_int8.outputs(host_int8.program(host_int8.quantise("models.ad.official")), windows)
    assert anomaly_score(windows, answers).mean() == pytest.approx(anomaly_score(windows, expected).mean(), rel=0.02)
