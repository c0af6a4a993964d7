"""Keeps one of several equal constants.

a = conv2d(x, w1, b); c = conv2d(a, w2, b), w1 equal to w2   ->  a = conv2d(x, w1, b); c = conv2d(a, w1, b)
"""

import dataclasses

from compiler.ir import Graph
from compiler.rewrite import prune


def share_constants(graph: Graph) -> Graph:
    first: dict[tuple, str] = {}
    renamed = {}
    for name, array in graph.constants.items():
        renamed[name] = first.setdefault((graph.types[name], array.tobytes()), name)
    nodes = tuple(
        dataclasses.replace(node, inputs=tuple(renamed.get(tensor, tensor) for tensor in node.inputs)) for node in graph.nodes
    )
    return prune(dataclasses.replace(graph, nodes=nodes)).check()
