"""Streaming wake word, one frame at a time: models/sww's network with its weights, which here remembers what its layers have heard.

All of that network's convolutions run along time. Each keeps its last inputs in a buffer, as many as it is wide, so that a new frame
of sound costs one new column of each instead of them all; the answer is the one that models/sww gives for the last 30 frames.
"""

from collections.abc import Iterator

import numpy as np
import torch

from models.sww.sww import BLOCKS, CALIBRATION, FRAMES, MELS, WEIGHTS, WakeWord


class StreamingWakeWord(WakeWord):
    """float32 [1, 40, 1, 1] log-mel energies in 0..1 of the newest frame -> float32 [1, 3] probabilities of LABELS for the last 30."""

    def __init__(self) -> None:
        super().__init__()
        inputs = (MELS, *(channels for channels, _ in BLOCKS))
        for index, (channels, (_, frames)) in enumerate(zip(inputs, BLOCKS)):
            self.register_buffer(f"heard_{index}", torch.zeros(1, channels, frames, 1), persistent=False)

    def forward(self, log_mel: torch.Tensor) -> torch.Tensor:
        newest = log_mel
        for index, block in enumerate(self.blocks):
            heard = getattr(self, f"heard_{index}")
            heard.copy_(torch.cat([heard[:, :, 1:], newest], 2))
            newest = block(heard)
        return torch.softmax(self.classifier(newest.flatten(1)), dim=-1)


def build_model() -> StreamingWakeWord:
    """The model with the weights of models/sww, ready for inference, after a second of silence."""
    model = StreamingWakeWord()
    with np.load(WEIGHTS) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})
    model.eval()
    with torch.no_grad():
        for _ in range(FRAMES):
            model(*example_inputs())
    return model


def example_inputs() -> tuple[torch.Tensor]:
    """Inputs of the right shape and dtype: one frame, [1, 40, 1, 1]."""
    return (torch.zeros(1, MELS, 1, 1),)


def calibration() -> Iterator[tuple[torch.Tensor] | None]:
    """The frames of the windows of models/sww, one after another; each window is a sequence of its own, as None in front of it says."""
    with np.load(CALIBRATION) as arrays:
        windows = arrays["log_mel"]  # uint8 [n, 30, 40], 255 for 1
    for window in windows:
        yield None
        for frame in window:
            yield (torch.from_numpy(frame).reshape(1, MELS, 1, 1) / 255,)
