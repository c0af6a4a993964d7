import random

import numpy as np
import pytest

from compiler.elide import elide
from compiler.ir import Graph
from compiler.lower import lower
from compiler.planner.best import plan_best
from compiler.planner.plan import plan_memory
from compiler.program import Program, View
from compiler.reference import run_program
from compiler.testing import GraphBuilder, int8
from kernels.registry import OPERATORS


def rectified(b: GraphBuilder, name: str, x: str) -> str:
    """A step that may write over its input."""
    return b.node(name, "function", [x], b.types[x], expression=("maximum", "x", 0.0))


def take(b: GraphBuilder, name: str, x: str, *rows: range | None) -> str:
    shape = tuple(size if r is None else len(r) for size, r in zip(b.types[x].shape, rows))
    return b.node(name, "take", [x], int8(*shape), indices=tuple(None if r is None else tuple(r) for r in rows))


def concat(b: GraphBuilder, name: str, tensors: list[str], axis: int) -> str:
    shape = list(b.types[tensors[0]].shape)
    shape[axis] = sum(b.types[tensor].shape[axis] for tensor in tensors)
    return b.node(name, "concat", tensors, int8(*shape), axis=axis)


def both_ways(graph: Graph) -> tuple[Program, Program]:
    """With and without elision; they compute the same, and the checker accepts both."""
    plain = lower(graph, "scalar", OPERATORS)
    elided = elide(plain, OPERATORS)
    rng = np.random.default_rng(1)
    inputs = {port.name: rng.integers(-128, 128, port.type.shape, np.int8) for port in plain.inputs}
    results = [run_program(program, OPERATORS, inputs) for program in (plain, elided)]
    for name, array in results[0].items():
        assert np.array_equal(array, results[1][name])
    return plain, elided


def arenas(graph: Graph) -> tuple[int, int]:
    return tuple(plan_memory(program).arena_bytes for program in both_ways(graph))


def test_what_is_joined_along_the_outermost_axis_is_computed_in_place():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 8))
    upper, lower_ = rectified(b, "a", x), rectified(b, "b", x)
    graph = b.graph(rectified(b, "z", concat(b, "y", [upper, lower_], 1)))
    plain, elided = both_ways(graph)
    assert [step.layer for step in plain.steps] == ["a", "b", "y", "z"]
    assert [step.layer for step in elided.steps] == ["a", "b", "z"]
    assert elided.views == {"a": View("y", 0), "b": View("y", 128)}
    assert arenas(graph) == (256, 256)


def test_slices_along_the_outermost_axis_are_views():
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 6, 4, 8)))
    first, second = take(b, "a", x, None, range(2), None, None), take(b, "b", x, None, range(2, 6), None, None)
    graph = b.graph(rectified(b, "p", first), rectified(b, "q", second))
    plain, elided = both_ways(graph)
    assert [step.layer for step in elided.steps] == ["r", "p", "q"] and len(plain.steps) == 5
    assert elided.views == {"a": View("r", 0), "b": View("r", 64)}
    assert arenas(graph) == (256, 192)


def test_channels_of_an_image_stay_copies():
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 4, 4, 8)))
    y = concat(b, "y", [rectified(b, "a", x), x], 3)
    plain, elided = both_ways(b.graph(rectified(b, "z", take(b, "t", y, None, None, None, range(4)))))
    assert elided.steps == plain.steps and not elided.views


def test_features_without_an_image_are_joined_in_place_wherever_they_start():
    b = GraphBuilder()
    x = b.input("x", int8(1, 5))
    graph = b.graph(concat(b, "y", [rectified(b, "a", x), x], 1))
    _, elided = both_ways(graph)
    assert elided.views == {"a": View("y", 0), "x": View("y", 5)}
    assert arenas(graph) == (21, 10), "the model's input too lies where it will be needed"


def test_an_operand_that_has_its_place_elsewhere_is_copied():
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 6, 4, 8)))
    rows = take(b, "a", x, None, range(2), None, None)
    graph = b.graph(concat(b, "y", [rows, rectified(b, "c", x)], 1))
    _, elided = both_ways(graph)
    assert [(step.layer, step.kernel) for step in elided.steps][2] == ("y.0", "copy_s8")
    assert elided.views == {"a": View("r", 0), "y.0": View("y", 0), "c": View("y", 64)}


def test_a_tensor_twice_in_a_concat_is_copied_once():
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 2, 4, 8)))
    _, elided = both_ways(b.graph(concat(b, "y", [x, x], 1)))
    assert [step.layer for step in elided.steps] == ["r", "y.1"]


def test_a_concat_of_which_most_would_be_copied_stays():
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 2, 4, 8)))
    plain, elided = both_ways(b.graph(concat(b, "y", [x, x, x], 1)))
    assert elided.steps == plain.steps


def test_concats_of_concats_and_slices_of_slices_are_one_body():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 8))
    inner = concat(b, "inner", [rectified(b, "a", x), rectified(b, "b", x)], 1)
    outer = concat(b, "outer", [rectified(b, "c", inner), inner], 1)
    part = take(b, "part", take(b, "whole", outer, None, range(8, 16), None, None), None, range(2, 8), None, None)
    program = both_ways(b.graph(rectified(b, "z", part)))[1]
    assert [step.layer for step in program.steps] == ["a", "b", "c", "z"]
    assert program.location("a") == View("outer", 256)
    assert program.location("part") == View("outer", 256 + 64)


def test_an_input_is_no_view_that_the_caller_would_read():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 8))
    _, elided = both_ways(b.graph(take(b, "a", x, None, range(2), None, None)))
    assert [step.layer for step in elided.steps] == ["a"]


def test_a_step_over_a_dying_slice_writes_over_it():
    """a is dead when p has read it, so p may lie there, beside b which is still needed."""
    b = GraphBuilder()
    x = rectified(b, "r", b.input("x", int8(1, 4, 4, 8)))
    p = rectified(b, "p", take(b, "a", x, None, range(2), None, None))
    q = rectified(b, "q", take(b, "b", x, None, range(2, 4), None, None))
    graph = b.graph(b.node("sum", "add", [p, q], int8(1, 2, 4, 8)))
    assert arenas(graph) == (192, 128)


@pytest.mark.parametrize("seed", range(15))
def test_random_graphs_of_slices_and_concats_compute_the_same_and_are_planned_right(seed):
    """The checker, which runs in every plan, follows each byte; memory never grows."""
    rng = random.Random(seed)
    b = GraphBuilder()
    tensors = [b.input("x", int8(1, 4, 2, 3)), b.input("w", int8(1, 3, 2, 3))]
    for index in range(8):
        kind, name = rng.choice(("take", "concat", "step")), f"t{index}"
        if kind == "concat":
            tensors.append(concat(b, name, rng.sample(tensors, min(len(tensors), rng.randint(2, 3))), 1))
        elif kind == "take":
            x = rng.choice(tensors)
            rows = b.types[x].shape[1]
            first = rng.randrange(rows)
            tensors.append(take(b, name, x, None, range(first, rng.randint(first + 1, rows)), None, None))
        else:
            tensors.append(rectified(b, name, rng.choice(tensors)))
    read = {tensor for node in b.nodes for tensor in node.inputs}
    outputs = [tensor for tensor in tensors[2:] if tensor not in read]
    outputs += [rectified(b, f"{tensor}.end", tensor) for tensor in tensors[:2] if tensor not in read]
    plain, _ = both_ways(b.graph(*outputs))
    best, plan = plan_best(plain, elide=lambda program, layers: elide(program, OPERATORS, layers))
    assert plan.arena_bytes <= plan_memory(plain).arena_bytes
    assert len(best.steps) <= len(plain.steps)


def test_where_a_step_spared_would_cost_memory_it_is_not():
    """a is read again after y: as a part of y it would keep z from lying over all of it."""
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 8))
    a = rectified(b, "a", x)
    z = rectified(b, "z", concat(b, "y", [a, rectified(b, "b", x)], 1))
    every_other = take(b, "t", z, None, range(0, 8, 2), None, None)
    graph = b.graph(b.node("c", "add", [a, every_other], int8(1, 4, 4, 8)))
    plain = lower(graph, "scalar", OPERATORS)
    everything = elide(plain, OPERATORS)
    best, plan = plan_best(plain, elide=lambda program, layers: elide(program, OPERATORS, layers))
    assert [step.layer for step in everything.elided] == ["y"]
    assert best.elided == ()
    assert (plan.arena_bytes, plan_memory(everything).arena_bytes) == (384, 512)


def test_a_model_that_only_joins_its_inputs_keeps_its_step():
    b = GraphBuilder()
    x, y = b.input("x", int8(1, 4, 16)), b.input("y", int8(1, 4, 16))
    _, elided = both_ways(b.graph(concat(b, "z", [x, y], 1)))
    assert [step.layer for step in elided.steps] == ["z"]
