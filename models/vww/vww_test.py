"""The committed model sees the people in scenes it has not seen before, in float and in int8, and has MLPerf Tiny's size."""

import numpy as np
import pytest
import torch

from compiler.ir import Graph
from models import host_int8
from models.vww import scenes, vww

UNSEEN = 7


@pytest.fixture(scope="module")
def graph() -> Graph:
    return host_int8.quantise("models.vww.vww")


def _probabilities(images: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return vww.build_model()(torch.from_numpy(images).permute(0, 3, 1, 2) / 255).numpy()


def test_at_least_9_of_10_unseen_scenes_are_judged_right() -> None:
    images, labels = scenes.scenes(100, UNSEEN)
    assert np.mean(_probabilities(images).argmax(1) == labels) >= 0.9


def test_int8_judges_as_float_does_where_float_is_sure(graph: Graph) -> None:
    images, _ = scenes.scenes(24, UNSEEN)
    expected = _probabilities(images)
    answers = host_int8.outputs(host_int8.program(graph), images.transpose(0, 3, 1, 2).astype(np.float32) / 255)
    sure = expected.max(1) > 0.7
    assert sure.sum() >= 12
    assert (answers.argmax(1) == expected.argmax(1))[sure].all()


def test_multiplications_and_weights_are_those_of_mlperf_tinys(graph: Graph) -> None:
    program = host_int8.program(graph)
    assert sum(step.macs for step in program.steps if "pool" not in step.kernel) == 7_489_664
    assert program.weights_bytes == 208_112


def test_activations_take_less_than_the_two_largest_layers(graph: Graph) -> None:
    """The first pointwise convolution reads 48x48x8 and writes 48x48x16 bytes; only overlapping them takes less."""
    assert max(host_int8.arena_bytes(graph).values()) < 48 * 48 * (8 + 16)


def test_scores_are_probabilities_of_the_labels() -> None:
    scores = vww.build_model()(*vww.example_inputs())
    assert scores.shape == (1, len(vww.LABELS)) and scores.dtype == torch.float32
    assert scores.sum().item() == pytest.approx(1.0)


def test_calibration_has_images_of_the_models_shape_and_range() -> None:
    inputs = [image for (image,) in vww.calibration()]
    assert len(inputs) == 8
    assert {(image.shape, image.dtype) for image in inputs} == {((1, 3, 96, 96), torch.float32)}
    assert min(image.min() for image in inputs) >= 0 and 0.5 < max(image.max() for image in inputs) <= 1
