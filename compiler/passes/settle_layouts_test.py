import dataclasses

import numpy as np
import pytest

from compiler.ir import Graph, Port, State
from compiler.passes.nhwc import nhwc
from compiler.passes.settle_layouts import settle_layouts
from compiler.testing import GraphBuilder, int8, operators


def shifted(b: GraphBuilder, shape: tuple[int, ...], axis: int) -> tuple[str, str]:
    """What is left of state "s" and what follows it in its place, along an axis."""
    one = int8(*(1 if i == axis else size for i, size in enumerate(shape)))
    b.input("x", one)
    b.input("s", int8(*shape))
    rest = int8(*(size - (i == axis) for i, size in enumerate(shape)))
    picks = tuple(tuple(range(1, size)) if i == axis else None for i, size in enumerate(shape))
    return b.node("rest", "take", ["s"], rest, indices=picks), b.node("new", "concat", ["rest", "x"], int8(*shape), axis=axis)


def with_state(b: GraphBuilder, output: str, new: str) -> Graph:
    graph = b.graph(output, new)
    shape = graph.types["s"].shape
    return dataclasses.replace(graph, states=(State("s", np.zeros(shape, np.float32)),))


def test_what_convolutions_read_has_its_channels_last_before_a_run_and_after_it():
    b = GraphBuilder()
    _, new = shifted(b, (1, 4, 3, 1), axis=2)
    y = b.conv2d("conv", new, np.ones((5, 4, 3, 1), np.int8), int8(1, 5, 1, 1))
    after = settle_layouts(nhwc(with_state(b, y, new)))
    assert operators(after) == ["take", "concat", "conv2d"]
    (source,), (result,) = after.state_inputs, after.state_outputs
    assert source == Port("s", "s", (0, 2, 3, 1)) and result.permutation == (0, 2, 3, 1)
    assert after.types["s"].shape == after.types[result.tensor].shape == (1, 3, 1, 4)
    assert [port.permutation for port in (*after.called_inputs, *after.called_outputs)] == [(0, 2, 3, 1)] * 2


@pytest.mark.parametrize("shape", [(1, 6, 4), (1, 2, 6, 4)])
def test_what_linear_layers_read_stays_as_it_is(shape):
    b = GraphBuilder()
    _, new = shifted(b, shape, axis=len(shape) - 2)
    flat = b.node("flat", "reshape", [new], int8(1, int(np.prod(shape))), shape=(1, int(np.prod(shape))))
    y = b.linear("linear", flat, np.ones((3, int(np.prod(shape))), np.int8), int8(1, 3))
    after = settle_layouts(with_state(b, y, new))
    assert "permute" not in operators(after)
    assert after.types["s"].shape == shape and after.state_inputs[0].permutation == after.state_outputs[0].permutation


def test_one_layout_holds_at_both_ends_even_if_only_one_wants_it():
    """A convolution's result that comes back transposed costs a permute somewhere, and the ports stay equal."""
    b = GraphBuilder()
    b.input("x", int8(1, 4, 4, 4))
    b.input("s", int8(1, 4, 4, 4))
    y = b.conv2d("conv", "s", np.ones((4, 4, 1, 1), np.int8), int8(1, 4, 4, 4))
    turned = b.node("turned", "permute", [y], int8(1, 4, 4, 4), permutation=(0, 2, 1, 3))
    new = b.node("new", "add", [turned, "x"], int8(1, 4, 4, 4), alpha=1.0)
    after = settle_layouts(nhwc(with_state(b, y, new)))
    assert after.state_inputs[0].permutation == after.state_outputs[0].permutation
    assert operators(after).count("permute") == 1
