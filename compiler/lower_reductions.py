"""Lowering of reductions to calls of kernels/reduce/: the operator, its attributes, and the shape it gives its output."""

import math
from typing import Any

from compiler.ir import Graph, Node
from kernels.requantise import quantise_multiplier

Lowered = tuple[str, dict[str, Any], tuple[int, ...]]


def lower_sum(graph: Graph, node: Node) -> Lowered:
    """A sum or a mean: of a mean, the factor holds 1 / count too."""
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    count = math.prod(source.shape[axis] for axis in node.attributes["axes"]) if node.operator == "mean" else 1
    factor = source.scale / (result.scale * count)
    if not math.isfinite(factor) or factor >= 2**30:
        raise node.error(f"its scales give the requantisation factor {factor:g}; check the range of its input and output")
    multiplier, shift = quantise_multiplier(factor)
    attributes = {
        "axes": node.attributes["axes"],
        "multiplier": multiplier,
        "shift": shift,
        "input_zero_point": source.zero_point,
        "output_zero_point": result.zero_point,
    }
    return "sum", attributes, result.shape


def lower_extreme(graph: Graph, node: Node) -> Lowered:
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    if (source.scale, source.zero_point) != (result.scale, result.zero_point):
        raise node.error(f"{node.operator} needs the same scale for its input and output")
    return node.operator, {"axes": node.attributes["axes"]}, result.shape


def lower_normalise(graph: Graph, node: Node) -> Lowered:
    """Of a group norm, too, which is NHWC."""
    attributes, shape = dict(node.attributes), graph.types[node.output].shape
    if node.operator == "group_norm":
        del attributes["layout"]
        _, height, width, channels = shape
        attributes |= {"positions": height * width, "depth": channels // attributes["groups"]}
    return "normalise", attributes, shape


def lower_arg_extreme(graph: Graph, node: Node) -> Lowered:
    return node.operator, {"axes": node.attributes["axes"]}, graph.types[node.output].shape
