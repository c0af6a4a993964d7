"""The committed model hears its name from voices it has not heard before, in float and in int8."""

from pathlib import Path

import numpy as np
import pytest
import torch

from compiler.ir import Graph
from models import host_int8
from models.sww import sww


@pytest.fixture(scope="module")
def graph() -> Graph:
    return host_int8.quantise("models.sww.sww")


@pytest.fixture(scope="module")
def held_out() -> tuple[np.ndarray, np.ndarray]:
    """Windows float32 [75, 40, 30, 1] and labels [75]."""
    with np.load(Path(__file__).with_name("evaluation.npz")) as arrays:
        return arrays["log_mel"].transpose(0, 2, 1)[..., None] / np.float32(255), arrays["label"]


def _probabilities(windows: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return sww.build_model()(torch.from_numpy(windows)).numpy()


def test_at_least_9_of_10_windows_of_held_out_voices_are_judged_right(held_out: tuple[np.ndarray, np.ndarray]) -> None:
    windows, label = held_out
    assert np.bincount(label).tolist() == [25] * len(sww.LABELS)
    assert np.mean(_probabilities(windows).argmax(1) == label) >= 0.9


def test_int8_judges_as_float_does(graph: Graph, held_out: tuple[np.ndarray, np.ndarray]) -> None:
    windows, _ = held_out
    answers = host_int8.outputs(host_int8.program(graph), windows)
    assert np.mean(answers.argmax(1) == _probabilities(windows).argmax(1)) >= 0.97


def test_multiplications_and_weights_are_those_of_mlperf_tinys(graph: Graph) -> None:
    program = host_int8.program(graph)
    frames = (28, 24, 15, 1)
    depthwise = zip(frames, (40, 128, 128, 128), (3, 5, 10, 15))
    pointwise = zip(frames, (40, 128, 128, 128), (128, 128, 128, 32))
    convolutions = [*depthwise, *pointwise]
    assert sum(step.macs for step in program.steps) == sum(f * a * b for f, a, b in convolutions) + 32 * 3
    assert program.weights_bytes == sum(a * b for _, a, b in convolutions) + 32 * 3


def test_activations_take_little_more_than_the_two_largest_layers(graph: Graph) -> None:
    """The first pointwise convolution reads 28x40 and writes 28x128 bytes."""
    assert max(host_int8.arena_bytes(graph).values()) <= 28 * (40 + 128) + 1024


def test_scores_are_probabilities_of_the_labels() -> None:
    scores = sww.build_model()(*sww.example_inputs())
    assert scores.shape == (1, len(sww.LABELS)) and scores.dtype == torch.float32
    assert scores.sum().item() == pytest.approx(1.0)


def test_calibration_has_windows_of_the_models_shape_and_range() -> None:
    inputs = [window for (window,) in sww.calibration()]
    assert len(inputs) == 8 * len(sww.LABELS)
    assert {(window.shape, window.dtype) for window in inputs} == {((1, 40, 30, 1), torch.float32)}
    assert min(window.min() for window in inputs) >= 0 and 0.5 < max(window.max() for window in inputs) <= 1
