from compiler.passes.normalise_pools import normalise_pools
from compiler.testing import GraphBuilder, int8


def pooled(operator: str, size: int, **attributes) -> dict:
    b = GraphBuilder()
    x = b.input("x", int8(1, size, size, 2))
    y = b.node("pool", operator, [x], int8(1, 1, 1, 2), **attributes)
    (node,) = normalise_pools(b.graph(y)).nodes
    return dict(node.attributes)


def test_a_single_window_over_everything_has_stride_1_and_no_padding():
    after = pooled("max_pool2d", 7, kernel=(9, 9), stride=(9, 9), padding=(1, 1, 1, 1), dilation=(1, 1))
    assert (after["kernel"], after["stride"], after["padding"]) == ((7, 7), (1, 1), (0, 0, 0, 0))


def test_a_single_window_over_a_part_stays_as_it_is():
    after = pooled("max_pool2d", 7, kernel=(5, 5), stride=(5, 5), padding=(0, 0, 0, 0), dilation=(1, 1))
    assert (after["kernel"], after["stride"]) == ((5, 5), (5, 5))


def test_padding_that_counts_in_the_average_stays():
    after = pooled("avg_pool2d", 4, kernel=(5, 5), stride=(5, 5), padding=(1, 1, 0, 0), count_include_pad=True)
    assert after["padding"] == (1, 1, 0, 0)
