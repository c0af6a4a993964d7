import numpy as np

from compiler.passes.fold_pads import fold_pads
from compiler.testing import GraphBuilder, int8, operators


def padded(b: GraphBuilder, zero_point: int = 0, value: float = 0.0) -> str:
    x = b.input("x", int8(1, 3, 8, 8, zero_point=zero_point))
    type_ = int8(1, 3, 11, 10, zero_point=zero_point)
    return b.node("pad", "pad", [x], type_, before=(0, 0, 1, 0), after=(0, 0, 2, 2), value=value)


def pool(b: GraphBuilder, x: str, operator: str, zero_point: int = 0, **attributes) -> str:
    defaults = {"kernel": (3, 3), "stride": (1, 1), "padding": (0, 0, 0, 0)}
    return b.node("pool", operator, [x], int8(1, 3, 9, 8, zero_point=zero_point), **{**defaults, **attributes})


def test_a_pad_becomes_the_padding_of_the_convolution_after_it():
    b = GraphBuilder()
    y = b.conv2d("conv", padded(b), np.ones((2, 3, 3, 3), np.int8), int8(1, 2, 10, 9), padding=(1, 0, 0, 1))
    after = fold_pads(b.graph(y))
    assert operators(after) == ["conv2d"]
    assert after.nodes[0].inputs[0] == "x"
    assert after.nodes[0].attributes["padding"] == (2, 0, 2, 3)


def test_a_convolution_does_not_take_a_pad_with_another_value_than_zero():
    b = GraphBuilder()
    y = b.conv2d("conv", padded(b, value=1.0), np.ones((2, 3, 3, 3), np.int8), int8(1, 2, 9, 8))
    assert operators(fold_pads(b.graph(y))) == ["pad", "conv2d"]


def test_a_pad_stays_for_its_other_reader():
    b = GraphBuilder()
    x = padded(b)
    y = b.conv2d("conv", x, np.ones((2, 3, 3, 3), np.int8), int8(1, 2, 9, 8))
    assert sorted(operators(fold_pads(b.graph(x, y)))) == ["conv2d", "pad"]


def test_an_average_pool_counts_the_pad_it_takes():
    b = GraphBuilder()
    y = pool(b, padded(b), "avg_pool2d", count_include_pad=False)
    (after,) = fold_pads(b.graph(y)).nodes
    assert after.attributes["padding"] == (1, 0, 2, 2)
    assert after.attributes["count_include_pad"] is True


def test_a_maximum_pool_takes_a_pad_only_where_zero_is_the_least_value():
    for zero_point, expected in ((-128, ["max_pool2d"]), (0, ["pad", "max_pool2d"])):
        b = GraphBuilder()
        y = pool(b, padded(b, zero_point), "max_pool2d", zero_point, dilation=(1, 1))
        assert operators(fold_pads(b.graph(y))) == expected


def test_a_window_never_lies_wholly_in_the_padding():
    b = GraphBuilder()
    y = pool(b, padded(b, -128), "max_pool2d", -128, kernel=(2, 2), dilation=(1, 1))
    assert operators(fold_pads(b.graph(y))) == ["pad", "max_pool2d"]
