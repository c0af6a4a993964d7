import numpy as np
import pytest

from compiler.passes.fuse_clamps import clamped_range, fuse_clamps
from compiler.testing import GraphBuilder, float32, int8, node_named, operators

WEIGHT = np.ones((4, 3, 1, 1), np.float32)


def test_relu6_becomes_the_clamp_of_the_convolution_before_it():
    b = GraphBuilder()
    x = b.input("x", float32(1, 3, 8, 8))
    c = b.conv2d("c", x, WEIGHT, float32(1, 4, 8, 8))
    r = b.node("r", "clamp", [c], float32(1, 4, 8, 8), clamp=(0.0, 6.0))
    after = fuse_clamps(b.graph(r))
    assert operators(after) == ["conv2d"]
    assert after.nodes[0].attributes["clamp"] == (0.0, 6.0)
    assert after.outputs[0].tensor == "c"


@pytest.mark.parametrize(
    "first, second, both",
    [
        ((0.0, None), (None, 6.0), (0.0, 6.0)),
        ((0.0, 6.0), (3.0, None), (3.0, 6.0)),
        ((0.0, 6.0), (-1.0, 7.0), (0.0, 6.0)),
        ((0.0, 1.0), (2.0, 3.0), (2.0, 2.0)),
        ((None, None), (-1.0, 1.0), (-1.0, 1.0)),
    ],
)
def test_two_clamps_become_one_that_does_both(first, second, both):
    b = GraphBuilder()
    x = b.input("x", float32(4))
    x = b.node("first", "clamp", [x], float32(4), clamp=first)
    x = b.node("second", "clamp", [x], float32(4), clamp=second)
    after = fuse_clamps(b.graph(x))
    assert operators(after) == ["clamp"]
    assert after.nodes[0].attributes["clamp"] == both


def test_a_result_that_is_read_before_the_clamp_too_is_not_fused():
    b = GraphBuilder()
    x = b.input("x", float32(1, 3, 8, 8))
    c = b.conv2d("c", x, WEIGHT, float32(1, 4, 8, 8))
    r = b.node("r", "clamp", [c], float32(1, 4, 8, 8), clamp=(0.0, None))
    assert operators(fuse_clamps(b.graph(c, r))) == ["conv2d", "clamp"]


def test_a_clamp_that_requantises_is_not_fused():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    y = b.node("sum", "add", [x, x], int8(4, scale=1.0))
    r = b.node("r", "clamp", [y], int8(4, scale=0.25), clamp=(0.0, None))
    assert operators(fuse_clamps(b.graph(r))) == ["add", "clamp"]


def test_a_relu_of_values_that_cannot_be_negative_vanishes():
    b = GraphBuilder()
    x = b.input("x", int8(4, zero_point=-128))
    y = b.node("s", "softmax", [x], int8(4, zero_point=-128), axis=0)
    r = b.node("r", "clamp", [y], int8(4, zero_point=-128), clamp=(0.0, None))
    assert operators(fuse_clamps(b.graph(r))) == ["softmax"]


def test_the_clamped_range_is_in_quantised_numbers():
    b = GraphBuilder()
    x = b.input("x", float32(4))
    r = b.node("r", "clamp", [x], float32(4), clamp=(0.0, 6.0))
    relu6 = node_named(b.graph(r), "r")
    assert clamped_range(relu6, int8(4, scale=0.1, zero_point=10)) == (10, 70)
    assert clamped_range(relu6, int8(4, scale=0.01, zero_point=-128)) == (-128, 127)
    assert clamped_range(relu6.with_attributes(clamp=(float("-inf"), float("inf"))), int8(4)) == (-128, 127)
