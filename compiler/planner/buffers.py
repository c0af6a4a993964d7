"""What is to be placed in memory: buffers, when they are in use, and which pairs may overlap."""

import dataclasses

from compiler.program import Program

ALIGNMENT = 16


def aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A tensor or a step's scratch: `nbytes` in use from step `first` to step `last`, both included."""

    name: str
    nbytes: int
    first: int
    last: int

    def meets(self, other: "Buffer") -> bool:
        """In use at the same time for at least one step."""
        return self.first <= other.last and other.first <= self.last


@dataclasses.dataclass(frozen=True)
class Problem:
    """`leads[output, input]` = d lets the output start d or more bytes before the input, whatever they share."""

    buffers: tuple[Buffer, ...]
    leads: dict[tuple[str, str], int]

    def only(self, buffers: tuple[Buffer, ...]) -> "Problem":
        return Problem(buffers, self.leads)


def memory_problem(program: Program) -> Problem:
    """Inputs are in use from the first step, outputs to the last. A dying input may overlap its step's first output."""
    end = len(program.steps) - 1
    first = {port.tensor: 0 for port in program.inputs}
    last = {port.tensor: 0 for port in program.inputs}
    for index, step in enumerate(program.steps):
        for tensor in step.outputs:
            first[tensor] = last[tensor] = index
        for tensor in step.inputs:
            if tensor in last:
                last[tensor] = index
    last |= {port.tensor: end for port in program.outputs}

    kept = {port.tensor for port in program.outputs}
    buffers = [Buffer(name, program.tensors[name].nbytes, first[name], last[name]) for name in first]
    leads: dict[tuple[str, str], int] = {}
    for index, step in enumerate(program.steps):
        if step.scratch_bytes:
            buffers.append(Buffer(step.scratch, step.scratch_bytes, index, index))
        for tensor in set(step.inputs) & first.keys() - kept:
            lead = _lead(step.inputs, step.leads, tensor)
            if last[tensor] == index and lead is not None:
                leads[step.outputs[0], tensor] = lead
    return Problem(tuple(buffers), leads)


def _lead(inputs: tuple[str, ...], leads: tuple[int | None, ...], tensor: str) -> int | None:
    """The lead that suits every operand that the tensor is."""
    own = [lead for name, lead in zip(inputs, leads) if name == tensor]
    return None if None in own else max(own)
