from compiler.passes.remove_identities import remove_identities
from compiler.testing import GraphBuilder, float32, int8, operators


def test_nodes_that_change_nothing_vanish():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 2))
    x = b.node("dropout", "identity", [x], int8(1, 4, 4, 2))
    x = b.node("permute", "permute", [x], int8(1, 4, 4, 2), permutation=(0, 1, 2, 3))
    x = b.node("pad", "pad", [x], int8(1, 4, 4, 2), before=(0, 0, 0, 0), after=(0, 0, 0, 0), value=0.0)
    x = b.node(
        "pool", "avg_pool2d", [x], int8(1, 4, 4, 2), kernel=(1, 1), stride=(1, 1), padding=(0, 0, 0, 0), count_include_pad=False
    )
    x = b.node("flat", "reshape", [x], int8(1, 32), shape=(1, 32))
    after = remove_identities(b.graph(x))
    assert operators(after) == ["reshape"]
    assert after.nodes[0].inputs == ("x",)


def test_reshapes_in_a_row_become_one_or_none():
    b = GraphBuilder()
    x = b.input("x", int8(2, 6))
    there = b.node("there", "reshape", [x], int8(3, 4), shape=(3, 4))
    other = b.node("other", "reshape", [there], int8(12), shape=(12,))
    back = b.node("back", "reshape", [there], int8(2, 6), shape=(2, 6))
    after = remove_identities(b.graph(other, back))
    assert operators(after) == ["reshape"]
    assert [port.tensor for port in after.outputs] == ["other", "x"]


def test_requantising_to_the_same_type_vanishes_and_to_another_stays():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    real = b.node("real", "dequantize", [x], float32(4))
    same = b.node("same", "quantize", [real], int8(4))
    coarser = b.node("coarser", "quantize", [real], int8(4, scale=1.0))
    after = remove_identities(b.graph(same, coarser))
    assert operators(after) == ["dequantize", "quantize"]
    assert after.outputs[0].tensor == "x"


def test_a_pool_that_clamps_stays():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 2))
    attributes = {"kernel": (1, 1), "stride": (1, 1), "padding": (0, 0, 0, 0), "dilation": (1, 1), "clamp": (0.0, None)}
    x = b.node("relu", "max_pool2d", [x], int8(1, 4, 4, 2), **attributes)
    assert operators(remove_identities(b.graph(x))) == ["max_pool2d"]
