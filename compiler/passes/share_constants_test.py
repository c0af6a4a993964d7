import numpy as np

from compiler.passes.share_constants import share_constants
from compiler.testing import GraphBuilder, int8


def test_equal_constants_become_one_and_different_ones_stay():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 2))
    ones = np.ones((2, 1, 1, 2), np.int8)
    for name, weight in (("first", ones), ("second", ones.copy()), ("third", 2 * ones)):
        x = b.conv2d(name, x, weight, int8(1, 4, 4, 2))
    after = share_constants(b.graph(x))
    assert sorted(after.constants) == ["first.bias", "first.weight", "third.weight"]
    assert [node.inputs[1] for node in after.nodes] == ["first.weight", "first.weight", "third.weight"]
