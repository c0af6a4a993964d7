"""Sequences of samples, through which a model's state lasts.

One sample after another goes into the model, and each finds the state that the one before it has left. `RESET` among the samples
puts the state back to where it starts: whatever follows is another sequence. A model without state takes samples alone.
"""

from collections.abc import Callable

import torch

from compiler.frontend.capture import Captured, Sample

RESET = None

Item = Sample | None  # a sample or RESET


class Stream:
    """A model that is fed; `run` computes outputs and then new states, all in one list, from a sample and the states before."""

    def __init__(self, captured: Captured, run: Callable[[Sample, Sample], list[torch.Tensor]]):
        self.captured = captured
        self.run = run
        self.states = captured.first_states

    def feed(self, item: Item) -> list[torch.Tensor]:
        """The outputs for a sample; none for RESET."""
        if item is RESET:
            self.states = self.captured.first_states
            return []
        results = self.run(item, self.states)
        count = len(results) - len(self.states)
        self.states = tuple(results[count:])
        return results[:count]
