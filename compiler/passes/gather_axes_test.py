import pytest

from compiler.passes.gather_axes import gather_axes
from compiler.testing import GraphBuilder, int8, node_named, operators


@pytest.mark.parametrize("keepdim", [False, True])
def test_axes_in_three_places_are_brought_together(keepdim):
    b = GraphBuilder()
    x = b.input("x", int8(2, 4, 3, 6, 5, 7))
    y = b.node("mean", "mean", [x], int8(2, 1, 3, 1, 5, 1) if keepdim else int8(2, 3, 5), axes=(1, 3, 5), keepdim=keepdim)
    after = gather_axes(b.graph(y))
    assert operators(after) == ["permute", "mean"] + ["reshape"] * keepdim
    assert after.nodes[0].attributes["permutation"] == (0, 2, 4, 1, 3, 5)
    assert node_named(after, "mean").attributes["axes"] == (3, 4, 5)
    assert after.types["mean"].shape == (2, 3, 5)
    assert after.types[after.outputs[0].tensor].shape == ((2, 1, 3, 1, 5, 1) if keepdim else (2, 3, 5))


def test_places_that_a_kernel_takes_stay_and_axes_of_one_element_are_in_none():
    b = GraphBuilder()
    x = b.input("x", int8(4, 1, 3, 6, 1, 7))
    y = b.node("sum", "sum", [x], int8(3, 1, 7), axes=(0, 1, 3), keepdim=False)
    assert operators(gather_axes(b.graph(y))) == ["sum"]
