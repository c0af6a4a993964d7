"""Replays a program over planned memory, byte by byte, and refuses a plan under which a kernel would read or write wrongly.

Independent of the search: knows nothing of lifetimes or pieces. Every byte that is written gets a label of its own; a tensor that is
read must lie there label by label. What an elided concat or copy should have moved is moved here, on labels alone.
"""

import math
from collections.abc import Mapping

import numpy as np

from compiler.planner.buffers import ALIGNMENT
from compiler.program import Program, Step

NOTHING = -1

Place = tuple[str, int]  # region, offset in it


class WrongPlan(Exception):
    """The plan would corrupt a tensor; the message says which and where. Always a fault of the planner."""


def check_plan(
    program: Program, places: Mapping[str, Place], nbytes: Mapping[str, int], alignments: Mapping[str, int] | None = None
) -> None:
    """places: of each tensor and each scratch (Step.scratch) in regions of `nbytes`. Raises WrongPlan."""
    _Replay(program, places, nbytes, alignments or {}).run()


class _Replay:
    def __init__(self, program: Program, places: Mapping[str, Place], nbytes: Mapping[str, int], alignments: Mapping[str, int]):
        self.program = program
        self.places = places
        self.alignments = alignments
        self.memory = {region: np.full(size, NOTHING, np.int64) for region, size in nbytes.items()}
        self.labels: dict[str, np.ndarray] = {}  # of each tensor that has a value, in its order
        self.next_label = 0
        self.waiting = list(program.elided)

    def run(self) -> None:
        given = [*(state.before for state in self.program.states), *(port.tensor for port in self.program.inputs)]
        for tensor in given:
            self._write(tensor)
        for tensor in given:
            self._read(tensor, "the caller, who has filled all inputs,")
        for step in self.program.steps:
            self._move()
            self._run_step(step)
        self._move()
        if self.waiting:
            raise WrongPlan(f"{self.waiting[0].layer} is elided, but what it moves is never there")
        for port in self.program.outputs:
            self._read(port.tensor, "the caller, at the end,")
        for state in self.program.states:
            self._read(state.after, "the next run")
            if self.places[state.after] != self.places[state.before]:
                raise WrongPlan(f"the next run reads {state.name} where it was, but it is elsewhere")

    def _run_step(self, step: Step) -> None:
        for tensor in step.inputs:
            if tensor not in self.program.constants:
                self._read(tensor, step.layer)
        self._check_scratch(step)
        self._check_overlaps(step)
        if step.scratch_bytes:
            region, scratch = self._range(step.scratch, step.scratch_bytes, aligned=True)
            self.memory[region][scratch] = NOTHING
        for tensor in step.outputs:
            self._write(tensor)
        for tensor in step.outputs:
            self._read(tensor, f"{step.layer}, just after writing it,")

    def _move(self) -> None:
        """What elided steps would do by now: their results have the labels of what they are made of."""
        for step in list(self.waiting):
            if all(tensor in self.labels for tensor in step.inputs):
                self.labels[step.outputs[0]] = _moved(step, [self.labels[tensor] for tensor in step.inputs])
                self.waiting.remove(step)

    def _check_scratch(self, step: Step) -> None:
        if not step.scratch_bytes:
            return
        scratch = self._range(step.scratch, step.scratch_bytes, aligned=True)
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
                allowed = lead is not None and position == 0 and self.places[output][1] + lead <= self.places[tensor][1]
                if not allowed:
                    raise WrongPlan(f"{step.layer}: output {output} starts too late over input {tensor}")

    def _tensor_range(self, tensor: str) -> tuple[str, slice]:
        type_ = self.program.tensors[tensor]
        # A view starts where its storage has it; kernels take int8 anywhere, and nothing else.
        aligned = tensor not in self.program.views or type_.dtype != "int8"
        return self._range(tensor, type_.nbytes, aligned)

    def _range(self, name: str, nbytes: int, aligned: bool) -> tuple[str, slice]:
        if name not in self.places:
            raise WrongPlan(f"{name} has no place")
        region, start = self.places[name]
        if region not in self.memory:
            raise WrongPlan(f"{name} lies in {region}, which is no region")
        size, alignment = len(self.memory[region]), self.alignments.get(region, ALIGNMENT)
        if start < 0 or start + nbytes > size:
            raise WrongPlan(f"{name} lies at {start}..{start + nbytes}, outside the {size} bytes of {region}")
        if aligned and start % alignment:
            raise WrongPlan(f"{name} lies at {start}, which is not aligned to {alignment}")
        return region, slice(start, start + nbytes)

    def _write(self, tensor: str) -> None:
        region, place = self._tensor_range(tensor)
        nbytes = place.stop - place.start
        self.labels[tensor] = np.arange(self.next_label, self.next_label + nbytes)
        self.next_label += nbytes
        self.memory[region][place] = self.labels[tensor]

    def _read(self, tensor: str, who: str) -> None:
        region, place = self._tensor_range(tensor)
        if tensor not in self.labels:
            raise WrongPlan(f"{who} reads {tensor}, which nothing has computed yet")
        if not np.array_equal(self.memory[region][place], self.labels[tensor]):
            raise WrongPlan(f"{who} reads {tensor}, of which a part is overwritten or was never written")


def _moved(step: Step, operands: list[np.ndarray]) -> np.ndarray:
    """The labels of an elided step's result, by what the operator does to elements of one byte."""
    attributes, result = step.call.attributes, step.call.outputs[0]
    if result.dtype != "int8":
        raise WrongPlan(f"{step.layer} is elided, but moves {result.dtype}")
    if step.call.operator == "concat":
        shaped = [labels.reshape(type_.shape) for labels, type_ in zip(operands, step.call.inputs)]
        return np.concatenate(shaped, attributes["axis"]).reshape(-1)
    if step.call.operator == "copy":
        grid = np.indices(result.shape).reshape(len(result.shape), math.prod(result.shape))
        return operands[0][attributes["input_offset"] + np.array(attributes["input_steps"], np.int64) @ grid]
    raise WrongPlan(f"{step.layer} is elided, but {step.call.operator} computes something")


def _intersect(a: tuple[str, slice], b: tuple[str, slice]) -> bool:
    return a[0] == b[0] and a[1].start < b[1].stop and b[1].start < a[1].stop
