import numpy as np
import pytest

from compiler.functions import evaluate
from compiler.ir import Graph
from compiler.passes.expand_functions import expand_functions
from compiler.testing import GraphBuilder, float32, node_named, operators


def expanded(expression) -> Graph:
    b = GraphBuilder()
    return expand_functions(b.graph(b.node("f", "function", [b.input("x", float32(4))], float32(4), expression=expression)))


def value(graph: Graph, tensor: str, x: float) -> float:
    """By the definitions of compiler/functions.py."""
    if tensor in graph.constants:
        return float(graph.constants[tensor])
    node = graph.producer(tensor)
    if node is None:
        return x
    operands = [value(graph, name, x) for name in node.inputs]
    if node.operator == "function":
        return evaluate(node.attributes["expression"], operands[0])
    if node.operator == "clamp":
        low, high = node.attributes["clamp"]
        return min(max(operands[0], -np.inf if low is None else low), np.inf if high is None else high)
    if node.operator == "add":
        return operands[0] + node.attributes.get("alpha", 1.0) * operands[1]
    return evaluate((node.operator, *operands), 0.0)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (("mul", "x", ("sigmoid", "x")), ["function", "mul"]),
        (("sub", 1.0, ("mul", "x", 2.0)), ["mul", "add"]),
        (("sub", ("mul", 1.0, "x"), 0.5), ["add"]),
        (("div", ("clamp", ("add", "x", 3.0), 0.0, 6.0), 6.0), ["add", "clamp", "div"]),
        (("mul", ("exp", "x"), ("sqrt", ("exp", "x"))), ["function", "function", "mul"]),
        (("elu", ("abs", "x"), 1.5, 1.0, 1.0), ["function", "function"]),
        (("pow", ("abs", "x"), 3.0), ["function", "mul", "mul"]),
        (("pow", "x", -1.0), ["div"]),
        (("add", "x", ("mul", 2.0, 3.0)), ["add"]),
        (("maximum", "x", 0.25), ["maximum"]),
    ],
)
def test_every_operator_becomes_a_node_and_the_function_stays_the_same(expression, expected):
    graph = expanded(expression)
    assert operators(graph) == expected
    assert graph.nodes[-1].name == graph.nodes[-1].output == "f", "the last has the layer's name"
    for x in (-2.5, -0.5, 0.3, 4.0):
        assert value(graph, "f", x) == pytest.approx(evaluate(expression, x))


def test_what_is_one_operator_already_stays():
    graph = expanded(("leaky_relu", "x", 0.01))
    assert node_named(graph, "f").attributes["expression"] == ("leaky_relu", "x", 0.01)
    assert operators(expanded(("pow", "x", 2.5))) == ["function"]


def test_the_argument_itself_needs_no_node():
    b = GraphBuilder()
    y = b.node("f", "function", [b.input("x", float32(4))], float32(4), expression=("pow", "x", 1.0))
    graph = expand_functions(b.graph(b.node("g", "function", [y], float32(4), expression=("exp", "x"))))
    assert [(node.name, node.inputs) for node in graph.nodes] == [("g", ("x",))]
