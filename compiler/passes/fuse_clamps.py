"""Fuses activation functions that clamp (relu, relu6, hardtanh, clamp) with the operator before them.

    c = conv2d(x, w, b)                   ->  r = conv2d(x, w, b) clamp=(0.0, 6.0)
    r = clamp(c) clamp=(0.0, 6.0)

Only where nothing else reads the operator's result, and where both have one type: then clamping before or after rounding is the
same. A clamp of int8 that int8 does by itself vanishes:

    r: int8 zero -128 = clamp(x: int8 zero -128) clamp=(0.0, None)  ->  r is x
"""

import numpy as np

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite
from kernels.operator import TensorType

Clamp = tuple[float | None, float | None]

CLAMPING = {
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "add",
    "avg_pool1d",
    "avg_pool2d",
    "clamp",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "div",
    "linear",
    "matmul",
    "max_pool1d",
    "max_pool2d",
    "maximum",
    "minimum",
    "mul",
}
"""Operators with a `clamp` attribute."""


def fuse_clamps(graph: Graph) -> Graph:
    return rewrite(graph, _drop_needless, _fuse)


def _drop_needless(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "clamp":
        return None
    type_ = graph.types[node.output]
    if type_ == graph.types[node.inputs[0]] and type_.dtype == "int8" and clamped_range(node, type_) == (-128, 127):
        return Rewrite(renamed={node.output: node.inputs[0]})
    return None


def _fuse(graph: Graph, node: Node) -> Rewrite | None:
    """Matches the operator before the clamp."""
    if node.operator not in CLAMPING:
        return None
    clamp = graph.only_reader(node.output)
    if clamp is None or clamp.operator != "clamp" or graph.types[node.output] != graph.types[clamp.output]:
        return None
    bounds = _one_after_the_other(node.attributes.get("clamp", (None, None)), clamp.attributes["clamp"])
    return Rewrite(nodes=(node.with_attributes(clamp=bounds),), renamed={clamp.output: node.output})


def _one_after_the_other(first: Clamp, second: Clamp) -> Clamp:
    """(0, 6) then (3, None) is (3, 6)."""

    def clamped(bound: float | None, bounds: Clamp) -> float | None:
        low, high = bounds
        bound = bound if low is None or bound is None else max(bound, low)
        return bound if high is None or bound is None else min(bound, high)

    low, high = (clamped(bound, second) for bound in first)
    return (second[0] if first[0] is None else low, second[1] if first[1] is None else high)


def clamped_range(node: Node, type_: TensorType) -> tuple[int, int]:
    """The least and greatest integer of the type that the node's clamp lets through, in the type's quantisation.

    (-128, 127) of int8 without a clamp. Bounds are rounded as values are.
    """
    low, high = node.attributes.get("clamp", (None, None))
    range_ = np.iinfo(type_.dtype)
    least, greatest = int(range_.min), int(range_.max)

    def quantised(bound: float | None, otherwise: int) -> int:
        if bound is None:
            return otherwise
        # Beyond the integers whatever the zero point; kept finite, as bounds may be infinite.
        steps = min(max(bound / type_.scale, 8.0 * least), 8.0 * greatest)
        return min(max(round(steps) + type_.zero_point, least), greatest)

    return quantised(low, least), quantised(high, greatest)
