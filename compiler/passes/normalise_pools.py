"""Gives pools that have a single window one form, whatever stride and padding they were written with.

y: [N,1,1,C] = max_pool2d(x: [N,7,7,C]) kernel=(9, 9) stride=(9, 9) padding=(1, 1, 1, 1)
    ->  y = max_pool2d(x) kernel=(7, 7) stride=(1, 1) padding=(0, 0, 0, 0)
"""

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def normalise_pools(graph: Graph) -> Graph:
    """Works on NHWC."""
    return rewrite(graph, _normalise)


def _normalise(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in ("avg_pool2d", "max_pool2d") or graph.types[node.output].shape[1:3] != (1, 1):
        return None
    attributes = node.attributes
    if attributes.get("dilation", (1, 1)) != (1, 1) or (any(attributes["padding"]) and attributes.get("count_include_pad")):
        return None
    sizes = graph.types[node.inputs[0]].shape[1:3]
    kernel = tuple(min(k - before, size) for k, before, size in zip(attributes["kernel"], attributes["padding"], sizes))
    normal = {"kernel": kernel, "stride": (1, 1), "padding": (0, 0, 0, 0)}
    if all(attributes[key] == value for key, value in normal.items()):
        return None
    # A window smaller than the input leaves a stride of 1 room for a second one.
    if kernel != sizes:
        return None
    return Rewrite(nodes=(node.with_attributes(**normal),))
