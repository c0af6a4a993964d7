"""The committed model reads digits of writers it has not seen, in float and in int8, and has MLPerf Tiny's size."""

from pathlib import Path

import numpy as np
import pytest
import torch

from compiler.ir import Graph
from models import host_int8
from models.ic import digits, ic


@pytest.fixture(scope="module")
def graph() -> Graph:
    return host_int8.quantise("models.ic.ic")


@pytest.fixture(scope="module")
def held_out() -> tuple[np.ndarray, np.ndarray]:
    """Pictures float32 [360, 3, 32, 32] and labels [360]."""
    with np.load(Path(__file__).with_name("evaluation.npz")) as arrays:
        pictures = digits.pictures(arrays["strokes"] / np.float32(16), seed=0)
        return pictures.transpose(0, 3, 1, 2).astype(np.float32), arrays["label"].astype(np.int64)


def _probabilities(images: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return ic.build_model()(torch.from_numpy(images)).numpy()


def test_at_least_95_percent_of_digits_by_other_writers_are_read(held_out: tuple[np.ndarray, np.ndarray]) -> None:
    images, label = held_out
    assert np.mean(_probabilities(images).argmax(1) == label) >= 0.95


def test_int8_reads_as_float_does(graph: Graph, held_out: tuple[np.ndarray, np.ndarray]) -> None:
    images = held_out[0][::4]
    answers = host_int8.outputs(host_int8.program(graph), images)
    assert np.mean(answers.argmax(1) == _probabilities(images).argmax(1)) >= 0.97


def test_multiplications_and_weights_are_those_of_mlperf_tinys(graph: Graph) -> None:
    program = host_int8.program(graph)
    assert sum(step.macs for step in program.steps if "pool" not in step.kernel) == 12_501_632
    assert program.weights_bytes == 77_360


def test_activations_take_less_than_three_of_the_largest_tensor(graph: Graph) -> None:
    """A block's input, its first convolution's result and its second's are 32x32x16 bytes each; only overlapping them takes less."""
    assert max(host_int8.arena_bytes(graph).values()) < 3 * 32 * 32 * 16


def test_scores_are_probabilities() -> None:
    scores = ic.build_model()(*ic.example_inputs())
    assert scores.shape == (1, 10) and scores.dtype == torch.float32
    assert scores.sum().item() == pytest.approx(1.0)


def test_calibration_has_images_of_the_models_shape_and_range() -> None:
    inputs = [image for (image,) in ic.calibration()]
    assert len(inputs) == 24
    assert {(image.shape, image.dtype) for image in inputs} == {((1, 3, 32, 32), torch.float32)}
    assert min(image.min() for image in inputs) >= 0 and 200 < max(image.max() for image in inputs) <= 255
