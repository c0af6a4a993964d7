"""Makes one function of several that follow each other or work on the same tensor, before they are quantised.

    f = function(x) expression=("sigmoid", "x")      ->  y = function(x) expression=("mul", "x", ("sigmoid", "x"))
    y = mul(x, f)

    f = function(x) expression=("add", "x", 3.0)     ->  y = function(x) expression=("clamp", ("add", "x", 3.0), 0.0, 6.0)
    y = clamp(f) clamp=(0.0, 6.0)

A quantize and dequantize that stand alone become a function too, the requantisation:

    y: int8 = quantize(dequantize(x: int8))          ->  y = function(x) expression="x"
    y: int16 = quantize(dequantize(x: int8))         ->  y = requantize(x)                   where one of them is int16

and so does a clamp of int8 whose result has another scale than its input:

    y: int8 = clamp(x: int8) clamp=(0.0, None)       ->  y = function(x) expression=("clamp", "x", 0.0, inf)

and so do two functions of int8, if nothing else reads what is between them; it is rounded all the same:

    f: int8 = function(x: int8) expression=("exp", "x")   ->  y = function(x) expression=("abs", ("int8", ("exp", "x"), 0.5, 0))
    y: int8 = function(f) expression=("abs", "x")
"""

import dataclasses
import math

from compiler.functions import Expression, substituted
from compiler.ir import Graph, Node
from compiler.passes.fuse_clamps import Clamp
from compiler.rewrite import Rewrite, rewrite

BINARY = {"add", "div", "maximum", "minimum", "mul"}
FUNCTIONS = {"clamp", "function"}


def fuse_functions(graph: Graph) -> Graph:
    return rewrite(graph, _behind_function, _of_one_tensor)


def fuse_int8_functions(graph: Graph) -> Graph:
    return rewrite(graph, _requantisation, _clamp_between_scales, _behind_int8_function)


def _behind_function(graph: Graph, node: Node) -> Rewrite | None:
    """function or clamp of a function or clamp."""
    if node.operator not in FUNCTIONS or not _is_float(graph, node):
        return None
    before = graph.producer(node.inputs[0])
    if before is None or before.operator not in FUNCTIONS:
        return None
    expression = substituted(_expression(node), _expression(before))
    return Rewrite(nodes=(Node(node.name, "function", before.inputs, node.outputs, {"expression": expression}, node.source),))


def _of_one_tensor(graph: Graph, node: Node) -> Rewrite | None:
    """A binary operator both of whose operands are functions of one tensor, or that tensor itself."""
    if node.operator not in BINARY or not _is_float(graph, node):
        return None
    (first, a), (second, b) = (_as_function(graph, tensor) for tensor in node.inputs)
    if _before_dequantize(graph, first) != _before_dequantize(graph, second) or graph.types[first] != graph.types[second]:
        return None
    if graph.types[first].shape != graph.types[node.output].shape:
        return None
    alpha = node.attributes.get("alpha", 1.0)
    expression = (node.operator, a, b if alpha == 1 else ("mul", alpha, b))
    fused = Node(node.name, "function", (first,), node.outputs, {"expression": expression}, node.source)
    return Rewrite(nodes=(fused,))


def _requantisation(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "quantize":
        return None
    producer = graph.producer(node.inputs[0])
    if producer is None or producer.operator != "dequantize" or producer.attributes:
        return None
    if "int16" in (graph.types[producer.inputs[0]].dtype, graph.types[node.output].dtype):
        return Rewrite(nodes=(dataclasses.replace(node, operator="requantize", inputs=producer.inputs),))
    return Rewrite(nodes=(Node(node.name, "function", producer.inputs, node.outputs, {"expression": "x"}, node.source),))


def _clamp_between_scales(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "clamp":
        return None
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    if source.dtype != "int8" or result.dtype != "int8" or source == result:
        return None
    return Rewrite(nodes=(Node(node.name, "function", node.inputs, node.outputs, {"expression": _expression(node)}, node.source),))


def _behind_int8_function(graph: Graph, node: Node) -> Rewrite | None:
    before = graph.producer(node.inputs[0]) if node.operator == "function" else None
    if before is None or before.operator != "function" or graph.only_reader(before.output) is not node:
        return None
    between = graph.types[before.output]
    if between.dtype != "int8":
        return None
    rounded = ("int8", before.attributes["expression"], between.scale, between.zero_point)
    expression = substituted(node.attributes["expression"], rounded)
    return Rewrite(nodes=(Node(before.name, "function", before.inputs, node.outputs, {"expression": expression}, before.source),))


def _is_float(graph: Graph, node: Node) -> bool:
    return graph.types[node.output].dtype == "float32"


def _expression(node: Node) -> Expression:
    if node.operator == "function":
        return node.attributes["expression"]
    return clamping(node.attributes["clamp"])


def clamping(bounds: Clamp) -> Expression:
    """The function that clamps to (0.0, None), say."""
    low, high = bounds
    return ("clamp", "x", -math.inf if low is None else low, math.inf if high is None else high)


def _as_function(graph: Graph, tensor: str) -> tuple[str, Expression]:
    """The tensor that this one is a function of, and the function; itself and "x" if it is none."""
    producer = graph.producer(tensor)
    if producer is None or producer.operator not in FUNCTIONS:
        return tensor, "x"
    return producer.inputs[0], _expression(producer)


def _before_dequantize(graph: Graph, tensor: str) -> str:
    producer = graph.producer(tensor)
    return producer.inputs[0] if producer is not None and producer.operator == "dequantize" else tensor
