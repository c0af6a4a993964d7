"""Frame by frame the model says what models/sww says of the whole window, in float and, within quantisation, in int8."""

from pathlib import Path

import numpy as np
import pytest
import torch

from compiler.program import Program
from compiler.reference import HostStream, from_firmware, to_firmware
from kernels.registry import OPERATORS
from models import host_int8
from models.sww import sww
from models.sww_streaming import sww_streaming


@pytest.fixture(scope="module")
def windows() -> tuple[np.ndarray, np.ndarray]:
    """float32 [25, 30, 40] and their labels: every third of those committed."""
    with np.load(Path(sww.__file__).with_name("evaluation.npz")) as arrays:
        return arrays["log_mel"][::3] / np.float32(255), arrays["label"][::3]


@pytest.fixture(scope="module")
def program() -> Program:
    return host_int8.program(host_int8.quantise("models.sww_streaming.sww_streaming"))


def _of_whole_windows(windows: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return sww.build_model()(torch.from_numpy(windows.transpose(0, 2, 1)[..., None])).numpy()


def _inputs(window: np.ndarray) -> np.ndarray:
    return window.reshape(len(window), 1, 40, 1, 1)


def _streamed(program: Program, window: np.ndarray) -> np.ndarray:
    """What int8 says after each frame of one window, [30, 3]."""
    stream, (source,), (result,) = HostStream(program, OPERATORS), program.inputs, program.outputs
    answers = [stream.run({source.name: to_firmware(source, frame)}) for frame in _inputs(window)]
    return np.concatenate([from_firmware(result, answer[result.name]) for answer in answers])


def test_in_float_the_last_frame_of_a_window_is_answered_as_the_whole_window(windows) -> None:
    wanted = _of_whole_windows(windows[0])
    for window, scores in zip(windows[0], wanted):
        model = sww_streaming.build_model()
        with torch.no_grad():
            answers = [model(torch.from_numpy(frame)) for frame in _inputs(window)]
        assert np.abs(answers[-1].numpy() - scores).max() < 1e-5


def test_before_the_first_frame_there_was_a_second_of_silence(windows) -> None:
    window = windows[0][0]
    model = sww_streaming.build_model()
    for count in (1, 10, 29):
        padded = np.concatenate([np.zeros((30 - count, 40), np.float32), window[:count]])
        model = sww_streaming.build_model()
        with torch.no_grad():
            answers = [model(torch.from_numpy(frame)) for frame in _inputs(window[:count])]
        assert np.abs(answers[-1].numpy() - _of_whole_windows(padded[None])).max() < 1e-5


def test_int8_says_of_windows_what_int8_of_whole_windows_says(windows, program) -> None:
    samples, labels = windows
    streamed = np.stack([_streamed(program, window)[-1] for window in samples])
    whole = host_int8.program(host_int8.quantise("models.sww.sww"))
    of_windows = host_int8.outputs(whole, samples.transpose(0, 2, 1)[..., None])
    assert (streamed.argmax(1) == of_windows.argmax(1)).all()
    assert np.abs(streamed - of_windows).mean() < 0.02
    assert np.mean(streamed.argmax(1) == labels) >= 0.9


def test_a_frame_costs_one_column_of_each_layer(program) -> None:
    inputs = (40, 128, 128, 128)
    macs = sum(channels * frames + channels * out for channels, (out, frames) in zip(inputs, sww.BLOCKS)) + 32 * 3
    assert sum(step.macs for step in program.steps) == macs == 46_040


def test_each_layer_keeps_its_last_inputs_one_frame_beside_the_other(program) -> None:
    shapes = [(1, 3, 1, 40), (1, 5, 1, 128), (1, 10, 1, 128), (1, 15, 1, 128)]
    assert [state.type.shape for state in program.states] == shapes
    assert {step.call.operator for step in program.steps} == {"copy", "concat", "depthwise_conv2d", "conv2d", "linear", "softmax"}
