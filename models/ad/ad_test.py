"""The committed model tells faulty machines from healthy ones, in int8 nearly as in float, and has MLPerf Tiny's size."""

import numpy as np
import pytest
import torch

from compiler.ir import Graph
from models import host_int8
from models.ad import ad, machines
from models.ad.features import log_mel

UNHEARD = 99


@pytest.fixture(scope="module")
def graph() -> Graph:
    return host_int8.quantise("models.ad.ad")


def _recordings(machine, count: int) -> list[np.ndarray]:
    return [log_mel(machine(np.random.default_rng([UNHEARD, index]))) for index in range(count)]


def _repeated(windows: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return ad.build_model()(torch.from_numpy(windows)).numpy()


def _score(windows: np.ndarray) -> float:
    return ad.anomaly_score(windows, _repeated(windows)).mean()


@pytest.mark.parametrize("fault", machines.FAULTS, ids=lambda fault: fault.__name__)
def test_faulty_machines_score_higher_than_healthy_ones(fault) -> None:
    healthy = [_score(windows) for windows in _recordings(machines.healthy, 8)]
    faulty = [_score(windows) for windows in _recordings(fault, 8)]
    assert np.mean(np.array(faulty)[:, None] > np.array(healthy)) >= 0.95


@pytest.mark.parametrize("machine", [machines.healthy, machines.loose_part], ids=lambda machine: machine.__name__)
def test_int8_reconstructs_within_2_percent_of_float(graph: Graph, machine) -> None:
    windows = np.concatenate(_recordings(machine, 3))[::3]
    answers = host_int8.outputs(host_int8.program(graph), windows)
    assert ad.anomaly_score(windows, answers).mean() == pytest.approx(_score(windows), rel=0.02)


def test_multiplications_and_weights_are_those_of_mlperf_tinys(graph: Graph) -> None:
    program = host_int8.program(graph)
    assert sum(step.macs for step in program.steps) == program.weights_bytes == 264_192


def test_activations_take_little_more_than_input_and_widest_layer(graph: Graph) -> None:
    """640 bytes and 128; on some tiers a layer wants its input once more in 16 bits."""
    assert max(host_int8.arena_bytes(graph).values()) <= 640 + 128 + 2 * 640


def test_calibration_has_windows_of_the_models_shape() -> None:
    inputs = [window for (window,) in ad.calibration()]
    assert len(inputs) == 48
    assert {(window.shape, window.dtype) for window in inputs} == {((1, 640), torch.float32)}
