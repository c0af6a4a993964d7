"""Replays a program over a planned arena, byte by byte, and refuses a plan under which a kernel would read or write wrongly.

Independent of the search: knows nothing of lifetimes, only who wrote each byte last.
"""

import numpy as np

from compiler.planner.buffers import ALIGNMENT
from compiler.program import Program, Step

NOBODY = -1


class WrongPlan(Exception):
    """The plan would corrupt a tensor; the message says which and where. Always a fault of the planner."""


def check_plan(program: Program, offsets: dict[str, int], nbytes: int) -> None:
    """offsets: of each tensor and each scratch (Step.scratch) in an arena of `nbytes`. Raises WrongPlan."""
    _Replay(program, offsets, nbytes).run()


class _Replay:
    def __init__(self, program: Program, offsets: dict[str, int], nbytes: int):
        self.program = program
        self.offsets = offsets
        self.identity = {name: number for number, name in enumerate(program.tensors)}
        self.writer = np.full(nbytes, NOBODY, np.int64)

    def run(self) -> None:
        for port in self.program.inputs:
            self._write(port.tensor, "the caller")
        for port in self.program.inputs:
            self._read(port.tensor, "the caller, who has filled all inputs,")
        for step in self.program.steps:
            self._run_step(step)
        for port in self.program.outputs:
            self._read(port.tensor, "the caller, at the end,")

    def _run_step(self, step: Step) -> None:
        for tensor in step.inputs:
            if tensor not in self.program.constants:
                self._read(tensor, step.layer)
        self._check_scratch(step)
        self._check_overlaps(step)
        if step.scratch_bytes:
            self.writer[self._range(step.scratch, step.scratch_bytes)] = NOBODY
        for tensor in step.outputs:
            self._write(tensor, step.layer)
        for tensor in step.outputs:
            self._read(tensor, f"{step.layer}, just after writing it,")

    def _check_scratch(self, step: Step) -> None:
        if not step.scratch_bytes:
            return
        scratch = self._range(step.scratch, step.scratch_bytes)
        for tensor in (*step.inputs, *step.outputs):
            if tensor not in self.program.constants and _intersect(scratch, self._tensor_range(tensor)):
                raise WrongPlan(f"{step.layer}: scratch and {tensor} overlap")

    def _check_overlaps(self, step: Step) -> None:
        for tensor, lead in zip(step.inputs, step.leads):
            if tensor in self.program.constants:
                continue
            for position, output in enumerate(step.outputs):
                if not _intersect(self._tensor_range(tensor), self._tensor_range(output)):
                    continue
                allowed = lead is not None and position == 0 and self.offsets[output] + lead <= self.offsets[tensor]
                if not allowed:
                    raise WrongPlan(f"{step.layer}: output {output} starts too late over input {tensor}")

    def _tensor_range(self, tensor: str) -> slice:
        return self._range(tensor, self.program.tensors[tensor].nbytes)

    def _range(self, name: str, nbytes: int) -> slice:
        if name not in self.offsets:
            raise WrongPlan(f"{name} has no place")
        start = self.offsets[name]
        if start < 0 or start + nbytes > len(self.writer):
            raise WrongPlan(f"{name} lies at {start}..{start + nbytes}, outside the arena of {len(self.writer)} bytes")
        if start % ALIGNMENT:
            raise WrongPlan(f"{name} lies at {start}, which is not aligned to {ALIGNMENT}")
        return slice(start, start + nbytes)

    def _write(self, tensor: str, who: str) -> None:
        self.writer[self._tensor_range(tensor)] = self.identity[tensor]

    def _read(self, tensor: str, who: str) -> None:
        if (self.writer[self._tensor_range(tensor)] != self.identity[tensor]).any():
            raise WrongPlan(f"{who} reads {tensor}, of which a part is overwritten or was never written")


def _intersect(a: slice, b: slice) -> bool:
    return a.start < b.stop and b.start < a.stop
