import math

from compiler.passes.fuse_functions import fuse_functions, fuse_int8_functions
from compiler.testing import GraphBuilder, float32, int8, node_named, operators
from kernels.operator import TensorType


def test_a_product_with_a_function_of_the_same_tensor():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    one = b.node("one", "dequantize", [x], float32(4))
    other = b.node("other", "dequantize", [x], float32(4))
    s = b.node("s", "function", [one], float32(4), expression=("sigmoid", "x"))
    graph = fuse_functions(b.graph(b.node("y", "mul", [other, s], float32(4))))
    assert operators(graph) == ["dequantize", "function"]
    assert node_named(graph, "y").attributes["expression"] == ("mul", "x", ("sigmoid", "x"))


def test_functions_and_clamps_that_follow_each_other():
    b = GraphBuilder()
    y = b.node("a", "function", [b.input("x", float32(4))], float32(4), expression=("add", "x", 3.0))
    y = b.node("c", "clamp", [y], float32(4), clamp=(0.0, 6.0))
    graph = fuse_functions(b.graph(b.node("d", "function", [y], float32(4), expression=("div", "x", 6.0))))
    assert [node.attributes["expression"] for node in graph.nodes] == [("div", ("clamp", ("add", "x", 3.0), 0.0, 6.0), 6.0)]


def test_functions_of_clamps():
    b = GraphBuilder()
    x = b.input("x", float32(4))
    r = b.node("r", "clamp", [b.node("c", "clamp", [x], float32(4), clamp=(0.0, None))], float32(4), clamp=(None, 6.0))
    graph = fuse_functions(b.graph(b.node("y", "mul", [r, b.node("e", "function", [r], float32(4), expression=("exp", "x"))], float32(4))))
    clamped = ("clamp", ("clamp", "x", 0.0, math.inf), -math.inf, 6.0)
    assert node_named(graph, "y").attributes["expression"] == ("mul", clamped, ("exp", clamped))


def test_a_clamp_between_scales_is_a_function():
    b = GraphBuilder()
    x = b.input("x", int8(4, scale=0.5))
    y, same = (b.node(f"c{scale}", "clamp", [x], int8(4, scale=scale), clamp=(0.0, 6.0)) for scale in (0.25, 0.5))
    graph = fuse_int8_functions(b.graph(y, same))
    assert operators(graph) == ["function", "clamp"]
    assert graph.nodes[0].attributes == {"expression": ("clamp", "x", 0.0, 6.0)}


def test_a_difference_of_functions():
    b = GraphBuilder()
    x = b.input("x", float32(4))
    s = b.node("s", "function", [x], float32(4), expression=("exp", "x"))
    graph = fuse_functions(b.graph(b.node("y", "add", [x, s], float32(4), alpha=-1.0)))
    assert node_named(graph, "y").attributes["expression"] == ("add", "x", ("mul", -1.0, ("exp", "x")))


def test_functions_of_different_tensors_and_of_int8_stay():
    b = GraphBuilder()
    x, y = b.input("x", float32(4)), b.input("y", float32(4))
    z = b.node("z", "mul", [x, b.node("s", "function", [y], float32(4), expression=("exp", "x"))], float32(4))
    q = b.node("q", "function", [b.input("w", int8(4))], int8(4), expression=("exp", "x"))
    p = b.node("p", "function", [q], int8(4), expression=("exp", "x"))
    assert operators(fuse_functions(b.graph(z, p))) == ["function", "mul", "function", "function"]


def test_a_change_of_scale_is_a_function():
    b = GraphBuilder()
    x = b.node("f", "dequantize", [b.input("x", int8(4, scale=0.5))], float32(4))
    graph = fuse_int8_functions(b.graph(b.node("y", "quantize", [x], int8(4, scale=0.25))))
    assert operators(graph) == ["function"]
    assert graph.nodes[0].attributes == {"expression": "x"}


def test_a_function_of_a_function_in_int8_is_rounded_between_them():
    b = GraphBuilder()
    f = b.node("f", "function", [b.input("x", int8(4))], int8(4, scale=0.25, zero_point=3), expression=("exp", "x"))
    graph = fuse_int8_functions(b.graph(b.node("y", "function", [f], int8(4), expression=("abs", "x"))))
    assert [node.name for node in graph.nodes] == ["f"], "the name is the first's, whose rounding the table contains"
    assert graph.nodes[0].attributes["expression"] == ("abs", ("int8", ("exp", "x"), 0.25, 3))


def test_a_function_whose_result_is_read_elsewhere_stays():
    b = GraphBuilder()
    f = b.node("f", "function", [b.input("x", int8(4))], int8(4), expression=("exp", "x"))
    graph = b.graph(f, b.node("y", "function", [f], int8(4), expression=("abs", "x")))
    assert operators(fuse_int8_functions(graph)) == ["function", "function"]


def test_between_int8_and_int16_there_is_a_requantisation():
    b = GraphBuilder()
    x = b.node("xf", "dequantize", [b.input("x", TensorType((4,), "int16", 0.01))], float32(4))
    graph = b.graph(b.node("y", "quantize", [x], int8(4)))
    assert operators(fuse_int8_functions(graph)) == ["requantize"]
