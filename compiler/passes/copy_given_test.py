import numpy as np

from compiler.passes import run_passes
from compiler.passes.copy_given import copy_given
from compiler.testing import GraphBuilder, float32, operators


def test_outputs_that_are_inputs_or_constants_are_copies_each():
    b = GraphBuilder()
    x, c = b.input("x", float32(2, 3)), b.constant("c", np.ones(4, np.float32))
    flat = b.node("flat", "reshape", [x], float32(6), shape=(6,))
    y = b.node("y", "clamp", [x], float32(2, 3), clamp=(0.0, None))
    graph = b.graph(x, y, x, c, flat)
    after = copy_given(graph)
    assert operators(after) == ["reshape", "clamp", "copy", "copy", "copy", "copy"]
    assert [port.name for port in after.outputs] == ["x", "y", "x", "c", "flat"]
    assert [port.tensor for port in after.outputs] == ["x.copy", "y", "x.copy.1", "c.copy", "flat.copy"]
    assert [node.inputs for node in after.nodes[2:]] == [("x",), ("x",), ("c",), ("flat",)]
    assert str(copy_given(after)) == str(after)


def test_copies_of_images_lie_as_firmware_has_images():
    b = GraphBuilder()
    x = b.input("x", float32(1, 3, 8, 9))
    y = b.conv2d("y", x, np.ones((4, 3, 1, 1), np.float32), float32(1, 4, 8, 9))
    after = run_passes(b.graph(y, x))
    assert operators(after) == ["conv2d", "copy"]
    assert [port.permutation for port in (*after.inputs, *after.outputs)] == [(0, 2, 3, 1)] * 3


def test_what_is_moved_on_the_way_is_not_copied_again():
    b = GraphBuilder()
    x = b.input("x", float32(1, 216))
    image = b.node("image", "reshape", [x], float32(1, 3, 8, 9), shape=(1, 3, 8, 9))
    after = run_passes(b.graph(image))
    assert operators(after) == ["reshape", "permute"]
    assert after.outputs[0].permutation == (0, 2, 3, 1)
