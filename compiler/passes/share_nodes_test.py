import numpy as np

from compiler.passes.share_nodes import share_nodes
from compiler.testing import GraphBuilder, int8, operators


def clamp(b: GraphBuilder, name: str, x: str, high: float = 6.0, **type_) -> str:
    return b.node(name, "clamp", [x], int8(1, 4, **type_), clamp=(0.0, high))


def test_equal_values_are_computed_once_with_all_that_follows_from_them():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4))
    again = [clamp(b, f"{name}.2", clamp(b, f"{name}.1", x), 5.0) for name in ("a", "b")]
    after = share_nodes(b.graph(b.node("y", "add", again, int8(1, 4))))
    assert [node.name for node in after.nodes] == ["a.1", "a.2", "y"]
    assert after.nodes[-1].inputs == ("a.2", "a.2")


def test_values_that_differ_in_inputs_attributes_or_type_stay():
    b = GraphBuilder()
    x, w = b.input("x", int8(1, 4)), b.input("w", int8(1, 4))
    values = [clamp(b, "a", x), clamp(b, "b", w), clamp(b, "c", x, 5.0), clamp(b, "d", x, scale=0.25)]
    after = share_nodes(b.graph(b.node("y", "concat", values, int8(1, 16), axis=1)))
    assert len(after.nodes) == 5


def test_arrays_among_attributes_are_compared_by_what_is_in_them():
    def convolved(scales: list[float]) -> list[str]:
        b = GraphBuilder()
        x = b.input("x", int8(1, 4, 4, 2))
        weight = np.ones((2, 1, 1, 2), np.int8)
        first = b.conv2d("a", x, weight, int8(1, 4, 4, 2), weight_scale=np.full(2, 0.25))
        attributes = {**b.nodes[0].attributes, "weight_scale": np.array(scales)}
        second = b.node("b", "conv2d", list(b.nodes[0].inputs), int8(1, 4, 4, 2), **attributes)
        return operators(share_nodes(b.graph(b.node("y", "add", [first, second], int8(1, 4, 4, 2)))))

    assert convolved([0.25, 0.25]) == ["conv2d", "add"]
    assert convolved([0.25, 0.5]) == ["conv2d", "conv2d", "add"]


def test_outputs_of_the_model_keep_a_place_each():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4))
    assert len(share_nodes(b.graph(clamp(b, "a", x), clamp(b, "b", x))).nodes) == 2
