"""Where the windows of PyTorch's adaptive pools lie along an axis."""

import dataclasses
from functools import cached_property


@dataclasses.dataclass(frozen=True)
class AdaptiveWindows:
    """Window i of `outputs` over an axis of `inputs` elements: from i * inputs / outputs, rounded down, to (i + 1) * inputs / outputs,
    rounded up, which it does not hold."""

    inputs: int
    outputs: int

    @cached_property
    def starts(self) -> list[int]:
        return [i * self.inputs // self.outputs for i in range(self.outputs)]

    @cached_property
    def ends(self) -> list[int]:
        return [-(-(i + 1) * self.inputs // self.outputs) for i in range(self.outputs)]

    @cached_property
    def sizes(self) -> list[int]:
        return [end - start for start, end in zip(self.starts, self.ends)]

    @cached_property
    def step(self) -> int | None:
        """From each window to the next, if all are of one size and equally far apart: those of a plain pool. None otherwise."""
        steps = {after - before for before, after in zip(self.starts, self.starts[1:])} or set(self.sizes)
        return steps.pop() if len(steps) == len(set(self.sizes)) == 1 else None
