"""Folds explicit padding into the convolution or pool that follows.

    p = pad(x) before=(0, 0, 4, 1) after=(0, 0, 5, 1)   ->  y = conv2d(x, w, b) padding=(4, 1, 5, 1)
    y = conv2d(p, w, b) padding=(0, 0, 0, 0)

A convolution pads with zero, so the value must be 0. An average pool then counts the padding. A maximum pool ignores padding,
which is the same only where no value of the input can be below 0.
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def fold_pads(graph: Graph) -> Graph:
    return rewrite(graph, _fold_pad)


def _fold_pad(graph: Graph, node: Node) -> Rewrite | None:
    """Matches the operator after the pad."""
    if node.operator not in ("conv1d", "conv2d", "avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d"):
        return None
    pad = graph.producer(node.inputs[0])
    if pad is None or pad.operator != "pad" or pad.attributes["value"] != 0:
        return None
    before, after = pad.attributes["before"], pad.attributes["after"]
    if any(before[:2] + after[:2]):
        return None
    attributes = _padded(graph, node, pad, before[2:] + after[2:])
    if attributes is None:
        return None
    return Rewrite(nodes=(dataclasses.replace(node.with_attributes(**attributes), inputs=(pad.inputs[0], *node.inputs[1:])),))


def _padded(graph: Graph, node: Node, pad: Node, extra: tuple[int, ...]) -> dict | None:
    """The attributes that change, or None where the two cannot be one."""
    own = node.attributes["padding"]
    padding = tuple(p + e for p, e in zip(own, extra))
    if node.operator.startswith("conv"):
        return {"padding": padding}
    kernel = node.attributes["kernel"]
    if any(p >= k for p, k in zip(padding, kernel * 2)):
        return None  # a window could lie wholly in the padding
    if node.operator.startswith("avg"):
        return {"padding": padding, "count_include_pad": True} if not any(own) else None
    type_ = graph.types[pad.inputs[0]]
    never_negative = type_.dtype == "int8" and type_.zero_point == -128
    return {"padding": padding} if never_negative else None
