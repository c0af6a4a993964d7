from compiler.passes.narrow_concats import narrow_concats
from compiler.testing import GraphBuilder, int8, operators


def test_no_concat_joins_more_than_a_kernel_can_and_the_smallest_are_joined_first():
    b = GraphBuilder()
    sizes = (9, 8, 1, 2, 7, 3)
    inputs = [b.input(f"x{i}", int8(2, size)) for i, size in enumerate(sizes)]
    after = narrow_concats(b.graph(b.node("y", "concat", inputs, int8(2, 30), axis=1)))
    assert operators(after) == ["concat", "concat"]
    part, joined = after.nodes
    assert part.inputs == ("x2", "x3", "x4")
    assert joined.inputs == ("x0", "x1", part.output, "x5")
    assert after.types[part.output].shape == (2, 10)


def test_a_long_concat_needs_few_joins():
    b = GraphBuilder()
    inputs = [b.input(f"x{i}", int8(1)) for i in range(16)]
    after = narrow_concats(b.graph(b.node("y", "concat", inputs, int8(16), axis=0)))
    assert len(after.nodes) == 5
    assert all(len(node.inputs) <= 4 for node in after.nodes)
