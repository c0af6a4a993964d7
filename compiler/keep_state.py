"""Sees to it that a run leaves the state where it was: computed in place where that harms no other reader, else copied at the end.

part = slice(s); t = concat(part, x); s' = t   ->  t is a view of s, and whatever else reads s runs before
h = conv(s); output h; s' = h                  ->  s' = copy(h) is a view of s, behind all that reads s
"""

import dataclasses
import heapq
from collections.abc import Iterable, Iterator, Mapping

from compiler.copy_step import copy_step
from compiler.ir import fresh_name
from compiler.program import Program, ProgramState, View
from kernels.operator import Operator


def keep_state(program: Program, operators: Mapping[str, Operator]) -> Program:
    """`operators` has the copy that may be needed. For a program as lowering makes it."""
    for state in program.states:
        program = _in_place(program, state) or _copied(program, state, operators)
    return program


def write_last(program: Program) -> Iterator[tuple[int, int]]:
    """Steps by number, (reader, writer): the first reads what a state was before the run, and the second writes over it."""
    for state in program.states:
        if state.after not in program.views:
            continue
        (writer,) = (index for index, step in enumerate(program.steps) if state.after in step.outputs)
        for index, step in enumerate(program.steps):
            if index != writer and any(reads_before(program, tensor, state) for tensor in step.inputs):
                yield index, writer


def reads_before(program: Program, tensor: str, state: ProgramState) -> bool:
    """Whether the tensor lies in what the state was when the run began."""
    while tensor != state.before:
        if tensor == state.after or tensor not in program.views:
            return False
        tensor = program.views[tensor].storage
    return True


def may_overlap(program: Program, tensor: str, state: ProgramState, lead: int | None) -> bool:
    """Whether a kernel that reads the tensor, with this overlap lead, may write the state."""
    return not reads_before(program, tensor, state) or (lead is not None and lead <= program.location(tensor).offset)


def _in_place(program: Program, state: ProgramState) -> Program | None:
    if state.after in program.views or state.after in {port.tensor for port in program.outputs}:
        return None  # it has another place; the caller may write over an output
    writer = next((step for step in program.steps if state.after in step.outputs), None)
    if writer is None or not all(may_overlap(program, tensor, state, lead) for tensor, lead in zip(writer.inputs, writer.leads)):
        return None
    return _ordered(dataclasses.replace(program, views={**program.views, state.after: View(state.before, 0)}))


def _copied(program: Program, state: ProgramState, operators: Mapping[str, Operator]) -> Program:
    name = fresh_name(f"{state.name}.kept", program.tensors)
    layer = fresh_name(name, [step.layer for step in program.steps])
    source = next((step.source for step in program.steps if state.after in step.outputs), None)
    copy = copy_step(operators, program.tier, layer, state.after, name, state.type, source)
    kept = dataclasses.replace(state, after=name)
    return dataclasses.replace(
        program,
        tensors={**program.tensors, name: state.type},
        steps=(*program.steps, copy),
        views={**program.views, name: View(state.before, 0)},
        states=tuple(kept if other is state else other for other in program.states),
    )


def _ordered(program: Program) -> Program | None:
    """With its steps in an order that suits all, as close to their own as can be; None if there is none."""
    writers = {tensor: index for index, step in enumerate(program.steps) for tensor in step.outputs}
    pairs = [(writers[tensor], index) for index, step in enumerate(program.steps) for tensor in step.inputs if tensor in writers]
    order = _sorted(len(program.steps), {*pairs, *write_last(program)})
    return dataclasses.replace(program, steps=tuple(program.steps[index] for index in order)) if order else None


def _sorted(count: int, pairs: Iterable[tuple[int, int]]) -> list[int] | None:
    """0 to count - 1 with the first of each pair before the second, else the smallest first; None if that cannot be."""
    waiting, followers = [0] * count, [[] for _ in range(count)]
    for first, second in pairs:
        waiting[second] += 1
        followers[first].append(second)
    ready, order = [index for index in range(count) if not waiting[index]], []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for follower in followers[index]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, follower)
    return order if len(order) == count else None
