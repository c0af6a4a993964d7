"""Makes one take of takes that follow each other.

y = take(take(x) indices=((1, 2, 3), None)) indices=((0, 2), (0,))   ->   y = take(x) indices=((1, 3), (0,))
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def merge_takes(graph: Graph) -> Graph:
    return rewrite(graph, _merge)


def _merge(graph: Graph, node: Node) -> Rewrite | None:
    first = graph.producer(node.inputs[0]) if node.operator == "take" else None
    if first is None or first.operator != "take" or graph.types[first.inputs[0]].dtype != graph.types[node.output].dtype:
        return None
    indices = tuple(
        inner if outer is None else outer if inner is None else tuple(inner[i] for i in outer)
        for outer, inner in zip(node.attributes["indices"], first.attributes["indices"])
    )
    return Rewrite(nodes=(dataclasses.replace(node.with_attributes(indices=indices), inputs=first.inputs),))
