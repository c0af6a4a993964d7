"""State is written where it lies, in place where that harms no reader and else by a copy; the planner's checker agrees."""

import dataclasses
import itertools

import numpy as np
import pytest

from compiler.elide import elide
from compiler.errors import CompileError
from compiler.ir import Graph, State
from compiler.keep_state import keep_state
from compiler.lower import lower
from compiler.planner.best import plan_best
from compiler.planner.plan import STATE, MemoryPlan, plan_memory
from compiler.planner.regions import Region
from compiler.program import Program
from compiler.reference import HostStream
from compiler.testing import GraphBuilder, int8
from kernels.registry import OPERATORS

ROWS = int8(6, 8)


class Builder(GraphBuilder):
    """Of graphs with input x [1, 8] and state s [6, 8], perhaps t like it."""

    def __init__(self, *states: str) -> None:
        super().__init__()
        self.input("x", int8(1, 8))
        self.states = states or ("s",)
        for name in self.states:
            self.input(name, ROWS)

    def shift(self, name: str, state: str, row: str) -> str:
        rest = self.node(f"{name}.rest", "take", [state], int8(5, 8), indices=(tuple(range(1, 6)), None))
        return self.node(name, "concat", [rest, row], ROWS, axis=0)

    def doubled(self, name: str, x: str) -> str:
        return self.node(name, "function", [x], self.types[x], expression=("mul", 2.0, "x"))

    def sum(self, name: str, a: str, b: str) -> str:
        return self.node(name, "add", [a, b], self.types[a], alpha=1.0)

    def with_states(self, outputs: list[str], news: list[str]) -> Graph:
        rng = np.random.default_rng(1)
        states = tuple(State(name, rng.normal(0, 8, self.types[name].shape).astype(np.float32)) for name in self.states)
        return dataclasses.replace(self.graph(*outputs, *news), states=states)


def planned(graph: Graph) -> tuple[Program, MemoryPlan]:
    """Which computes what the program as it was lowered does, run after run, in memory that plan_memory has checked."""
    plain = lower(graph, "scalar", OPERATORS)
    program, plan = plan_best(keep_state(plain, OPERATORS), elide=lambda program, layers: elide(program, OPERATORS, layers))
    rng = np.random.default_rng(2)
    streams = [HostStream(each, OPERATORS) for each in (plain, program)]
    for _ in range(5):
        inputs = {"x": rng.integers(-128, 128, (1, 8), np.int8)}
        results = [stream.run(inputs) for stream in streams]
        for name, array in results[0].items():
            assert np.array_equal(array, results[1][name])
    for state in program.states:
        before, after = plan.buffers[state.before], plan.buffers[state.after]
        assert before.region == after.region == STATE and before.offset == after.offset
    return program, plan


def layers(program: Program) -> list[str]:
    return [step.layer for step in program.steps]


def test_a_shift_is_one_step_in_place():
    b = Builder()
    new = b.shift("new", "s", "x")
    program, plan = planned(b.with_states([b.doubled("y", new)], [new]))
    assert layers(program) == ["new", "y"]
    assert plan.state_bytes == 48 and plan.arena_bytes == 48  # of y, where x was
    assert {name for name, buffer in plan.buffers.items() if buffer.region == STATE} == {"s", "new", "new.rest"}


def test_whatever_reads_the_old_state_runs_before_it_is_written_over():
    b = Builder()
    new = b.shift("new", "s", "x")
    y = b.sum("y", b.doubled("a", new), b.doubled("late", "s"))
    program, _ = planned(b.with_states([y], [new]))
    assert layers(program).index("late") < layers(program).index("new")


def test_a_part_of_the_old_state_that_is_read_afterwards_is_copied_first():
    b = Builder()
    first = b.node("first", "take", ["s"], int8(1, 8), indices=((0,), None))
    new = b.shift("new", "s", "x")
    last = b.node("last", "take", [new], int8(1, 8), indices=((5,), None))
    program, _ = planned(b.with_states([b.sum("y", b.doubled("z", last), first)], [new]))
    assert "first" in layers(program) and layers(program).index("first") < layers(program).index("new")


def test_what_is_an_output_too_is_copied_at_the_end():
    b = Builder()
    new = b.shift("new", "s", "x")
    program, plan = planned(b.with_states([new], [new]))
    assert layers(program)[-1] == "s.kept"
    assert plan.buffers["new"].region != STATE


def test_the_old_state_as_output_is_not_a_view_of_it():
    b = Builder()
    old = b.node("old", "take", ["s"], int8(1, 8), indices=((0,), None))
    new = b.shift("new", "s", "x")
    program, plan = planned(b.with_states([old], [new]))
    assert plan.buffers["old"].region != STATE


def test_states_that_take_each_others_place_need_one_copy():
    b = Builder("s", "t")
    s, t = b.doubled("new_s", "t"), b.doubled("new_t", "s")
    program, _ = planned(b.with_states([b.sum("y", s, t)], [s, t]))
    assert sorted(layers(program)) == ["new_s", "new_t", "t.kept", "y"]


def test_a_state_that_depends_on_what_reads_it_last_is_copied():
    """y needs the old s and the new one."""
    b = Builder()
    new = b.doubled("new", "s")
    y = b.sum("y", "s", new)
    program, plan = planned(b.with_states([y], [new]))
    assert layers(program) == ["new", "y", "s.kept"]


def test_all_ways_to_read_and_write_two_states_come_out_right():
    for reads in itertools.product(("s", "t", "new"), repeat=3):
        b = Builder("s", "t")
        b.shift("new", reads[0].replace("new", "t"), "x")
        other = b.sum("other", reads[1], reads[2])
        y = b.sum("y", other, reads[0])
        for news in (["new", "other"], ["other", "new"]):
            planned(b.with_states([y], news))


def test_state_is_no_region_of_the_board():
    b = Builder()
    new = b.shift("new", "s", "x")
    program = keep_state(lower(b.with_states([b.doubled("y", new)], [new]), "scalar", OPERATORS), OPERATORS)
    with pytest.raises(CompileError, match="a region of memory cannot be named state"):
        plan_memory(program, (Region("state"),))
    with pytest.raises(CompileError, match="s is to lie in region sram, but no layer or tensor has that name"):
        plan_memory(program, placement={"s": "sram"})
