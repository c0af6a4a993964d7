import numpy as np

from compiler.passes.align_ranks import align_ranks
from compiler.testing import GraphBuilder, int8, node_named, operators


def test_a_tensor_per_channel_gets_all_axes():
    b = GraphBuilder()
    x, s = b.input("x", int8(1, 8, 5, 5)), b.input("s", int8(8, 1, 1, scale=0.25))
    graph = align_ranks(b.graph(b.node("y", "mul", [x, s], int8(1, 8, 5, 5))))
    assert operators(graph) == ["reshape", "mul"]
    assert graph.types[node_named(graph, "y").inputs[1]] == int8(1, 8, 1, 1, scale=0.25)


def test_constants_are_reshaped_at_once():
    b = GraphBuilder()
    x, s = b.input("x", int8(2, 3)), b.constant("s", np.array(7, np.int8))
    graph = align_ranks(b.graph(b.node("y", "add", [s, x], int8(2, 3))))
    assert operators(graph) == ["add"]
    assert graph.constants[graph.nodes[0].inputs[0]].tolist() == [[7]]


def test_equal_ranks_stay():
    b = GraphBuilder()
    x, s = b.input("x", int8(2, 3)), b.input("s", int8(1, 3))
    graph = b.graph(b.node("y", "minimum", [x, s], int8(2, 3)))
    assert str(align_ranks(graph)) == str(graph)
