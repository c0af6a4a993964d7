from compiler.passes.merge_takes import merge_takes
from compiler.testing import GraphBuilder, int8, operators


def test_takes_in_a_row_are_one():
    b = GraphBuilder()
    x = b.input("x", int8(4, 5))
    y = b.node("y", "take", [x], int8(3, 5), indices=((1, 2, 3), None))
    z = b.node("z", "take", [y], int8(2, 1), indices=((2, 0), (4,)))
    after = merge_takes(b.graph(z))
    assert operators(after) == ["take"]
    assert after.nodes[0].inputs == ("x",)
    assert after.nodes[0].attributes["indices"] == ((3, 1), (4,))
