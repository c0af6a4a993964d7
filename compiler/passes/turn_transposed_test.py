import numpy as np

from compiler.ir import Node
from compiler.passes.turn_transposed import turn_transposed
from compiler.testing import GraphBuilder, int8


def turned(stride: tuple[int, int], padding: tuple[int, ...], groups: int = 1) -> tuple[Node, np.ndarray]:
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 5, 5))
    weight = b.constant("w", np.arange(4 * 2 * 6, dtype=np.int8).reshape(4, 2, 3, 2))
    attributes = {"stride": stride, "padding": padding, "dilation": (1, 1), "groups": groups}
    attributes["weight_scale"] = np.array([0.25, 0.5])
    y = b.node("y", "conv_transpose2d", [x, weight], int8(1, 2 * groups, 5, 5), **attributes)
    graph = turn_transposed(b.graph(y))
    (node,) = graph.nodes
    return node, graph.constants[node.inputs[1]]


def test_a_stride_spreads_the_input():
    node, weight = turned((2, 1), (1, 0, 0, -1))
    assert node.operator == "conv2d"
    assert (node.attributes["spread"], node.attributes["stride"], node.attributes["padding"]) == ((2, 1), (1, 1), (1, 1, 2, 2))
    assert weight.shape == (2, 4, 3, 2)
    assert weight[1, 3, 0, 0] == (3 * 2 + 1) * 6 + 5, "the last tap comes first"


def test_without_a_stride_it_is_a_convolution():
    assert "spread" not in turned((1, 1), (2, 1, 2, 1))[0].attributes


def test_cut_beyond_its_reach_it_is_not():
    node, _ = turned((1, 1), (3, 0, 0, 0))
    assert (node.attributes["spread"], node.attributes["padding"]) == ((1, 1), (-1, 1, 2, 1))


def test_groups_share_the_scales_of_their_channels():
    node, weight = turned((2, 2), (0, 0, 0, 0), groups=2)
    assert weight.shape == (4, 2, 3, 2)
    assert weight[:, 0, 2, 1].tolist() == [0, 6, 24, 30]
    assert node.attributes["weight_scale"].tolist() == [0.25, 0.5, 0.25, 0.5]
