"""Makes transposed convolutions convolutions over an input whose pixels are spread apart.

y = conv_transpose2d(x, w: [I,O/G,KH,KW]) stride=(2, 2) padding=(1, 1, 1, 1) dilation=(1, 1)
    ->  y = conv2d(x, t: [O,I/G,KH,KW]) spread=(2, 2) stride=(1, 1) padding=(KH-2, KW-2, KH-2, KW-2) dilation=(1, 1)

t is w turned by half a turn. Without spread, and with padding that is nowhere negative, y is a convolution like any other.
"""

import dataclasses

import numpy as np

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def turn_transposed(graph: Graph) -> Graph:
    return rewrite(graph, _turn)


def _turn(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "conv_transpose2d":
        return None
    x, weight, *bias = node.inputs
    if weight not in graph.constants:
        raise node.error("weights must be constant")
    attributes, turned = dict(node.attributes), graph.fresh(weight)
    constant = turned_weight(graph.constants[weight], attributes["groups"])
    reach = tuple((k - 1) * d for k, d in zip(constant.shape[2:], attributes["dilation"]))
    padding = tuple(r - cut for r, cut in zip(reach * 2, attributes["padding"]))
    if attributes["stride"] != (1, 1) or min(padding) < 0:
        attributes["spread"] = attributes["stride"]
    if "weight_scale" in attributes:
        attributes["weight_scale"] = np.tile(attributes["weight_scale"], attributes["groups"])
    attributes |= {"stride": (1, 1), "padding": padding}
    changed = dataclasses.replace(node, operator="conv2d", inputs=(x, turned, *bias), attributes=attributes)
    type_ = dataclasses.replace(graph.types[weight], shape=constant.shape)
    return Rewrite(nodes=(changed,), types={turned: type_}, constants={turned: constant})


def turned_weight(weight: np.ndarray, groups: int) -> np.ndarray:
    """[I, O/groups, KH, KW] as [O, I/groups, KH, KW], turned by half a turn."""
    inputs, per_group, height, width = weight.shape
    grouped = weight.reshape(groups, inputs // groups, per_group, height, width).swapaxes(1, 2)
    return np.ascontiguousarray(grouped.reshape(groups * per_group, -1, height, width)[:, :, ::-1, ::-1])
