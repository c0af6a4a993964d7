"""Spares the steps that only move bytes to where they could have been from the start.

a = conv(x); b = conv(x); y = concat(a, b) along the outermost axis   ->  a and b are views of y: the convolutions write into y
a, b = halves of x along the outermost axis                           ->  a and b are views of x
y = concat(a, c), c being constant or a view of something else        ->  a is a view of y, and c is copied to its place there

The outermost axis is the first that is not 1: along any other, what belongs together does not lie together.
"""

import dataclasses
import math
from collections.abc import Container, Mapping

from compiler.copy_step import copy_step
from compiler.ir import fresh_name
from compiler.keep_state import may_overlap, reads_before
from compiler.program import Program, Step, View
from kernels.move.move import contiguous_steps
from kernels.operator import Call, Operator, TensorType

# More copies than that are no better than the concat.
_MOST_COPIES = 1


def elide(program: Program, operators: Mapping[str, Operator], layers: Container[str] | None = None) -> Program:
    """`operators` has the copy that a concat may leave over. Spares steps of `layers` only, if given; never all that there are."""
    elision = _Elision(program, operators)
    for step in program.steps:
        if layers is None or step.layer in layers:
            elision.visit(step)
        else:
            elision.steps.append(step)
    if not elision.steps:
        return program
    return dataclasses.replace(
        program,
        tensors=elision.tensors,
        steps=tuple(elision.steps),
        elided=tuple(elision.elided),
        views=elision.views,
    )


class _Elision:
    def __init__(self, program: Program, operators: Mapping[str, Operator]):
        self.program = program
        self.operators = operators
        self.tensors = dict(program.tensors)
        self.steps: list[Step] = []
        self.elided: list[Step] = []
        self.views = dict(program.views)  # of state that is computed in place

    def visit(self, step: Step) -> None:
        if self._is_slice(step):
            self.views[step.outputs[0]] = View(step.inputs[0], step.call.attributes["input_offset"])
            self.elided.append(step)
        elif self._is_concat(step):
            copies = self._copies(step)
            self.steps += copies.values()
            inputs = [copies[i].outputs[0] if i in copies else tensor for i, tensor in enumerate(step.inputs)]
            offset = 0
            for tensor, type_ in zip(inputs, step.call.inputs):
                self.views[tensor] = View(step.outputs[0], offset)
                offset += type_.nbytes
            self.elided.append(dataclasses.replace(step, inputs=tuple(inputs)))
        else:
            self.steps.append(step)

    def _is_slice(self, step: Step) -> bool:
        """Whether the result lies in one piece in the source, element by element."""
        call, source = step.call, step.inputs[0]
        if call.operator != "copy" or source not in self.tensors or not _is_of_bytes(call):
            return False
        inputs, outputs = ({port.tensor for port in ports} for ports in (self.program.inputs, self.program.outputs))
        # Where the caller writes an input he must not find an output.
        if step.outputs[0] in outputs and self._root(source) in inputs:
            return False
        if step.outputs[0] in self.views or not self._outlives(step):
            return False
        shape = call.outputs[0].shape
        wanted = contiguous_steps(shape)
        return all(size == 1 or by == one for size, by, one in zip(shape, call.attributes["input_steps"], wanted))

    def _is_concat(self, step: Step) -> bool:
        """Whether the operands lie one behind the other in the result, and most can be computed there."""
        call = step.call
        if call.operator != "concat" or not _is_of_bytes(call):
            return False
        outermost = math.prod(call.outputs[0].shape[: call.attributes["axis"]]) == 1
        return outermost and step.outputs[0] not in self.views and len(self._to_copy(step)) <= _MOST_COPIES

    def _to_copy(self, step: Step) -> list[int]:
        """Operands that have a place already, or none in working memory."""
        return [
            i
            for i, tensor in enumerate(step.inputs)
            if tensor in self.views or tensor in self.program.kept or tensor not in self.tensors or tensor in step.inputs[:i]
        ]

    def _outlives(self, step: Step) -> bool:
        """Whether the source still holds what it does when the result is read for the last time, be it state that is written over."""
        trial = dataclasses.replace(self.program, views={**self.views, step.outputs[0]: View(step.inputs[0], step.call.attributes["input_offset"])})
        for state in self.program.states:
            if not reads_before(trial, step.outputs[0], state):
                continue
            if step.outputs[0] in {port.tensor for port in self.program.outputs}:
                return False
            writer = next(i for i, other in enumerate(self.program.steps) if state.after in other.outputs)
            for index, reader in enumerate(self.program.steps):
                leads = [lead for tensor, lead in zip(reader.inputs, reader.leads) if tensor == step.outputs[0]]
                if leads and index > writer:
                    return False
                if index == writer and not all(may_overlap(trial, step.outputs[0], state, lead) for lead in leads):
                    return False
        return True

    def _copies(self, step: Step) -> dict[int, Step]:
        """A copy of each operand that needs one, by its number."""
        copies = {}
        for i in self._to_copy(step):
            name = fresh_name(f"{step.layer}.{i}", self.tensors)
            self.tensors[name] = step.call.inputs[i]
            copies[i] = copy_step(self.operators, self.program.tier, name, step.inputs[i], name, step.call.inputs[i], step.source)
        return copies

    def _root(self, tensor: str) -> str:
        return self._root(self.views[tensor].storage) if tensor in self.views else tensor


def _is_of_bytes(call: Call) -> bool:
    """Kernels take int8 at any address, anything else only where it is aligned."""
    types: tuple[TensorType, ...] = (*call.inputs, *call.outputs)
    return all(type_.dtype == "int8" for type_ in types)
