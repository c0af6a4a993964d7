"""Lets a matrix product read its second operand as it is, rather than transposed by a copy.

t = permute(b) permutation=(0, 2, 1)   ->  y = matmul(a, b) transposed=True
y = matmul(a, t) transposed=False
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def fold_transposes(graph: Graph) -> Graph:
    return rewrite(graph, _fold)


def _fold(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "matmul":
        return None
    permute = graph.producer(node.inputs[1])
    if permute is None or permute.operator != "permute":
        return None
    rank = len(graph.types[node.inputs[1]].shape)
    if permute.attributes["permutation"] != (*range(rank - 2), rank - 1, rank - 2):
        return None
    changed = node.with_attributes(transposed=not node.attributes["transposed"])
    return Rewrite(nodes=(dataclasses.replace(changed, inputs=(node.inputs[0], permute.inputs[0])),))
