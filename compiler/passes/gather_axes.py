"""Brings the axes of a reduction together where they lie in more places than a kernel takes (kernels/reduce/geometry.py).

y: [2,3,5] = mean(x: [2,4,3,6,5,7]) axes=(1, 3, 5)  ->  xg: [2,3,5,4,6,7] = permute(x) permutation=(0, 2, 4, 1, 3, 5)
                                                        y = mean(xg) axes=(3, 4, 5)
"""

import dataclasses
import itertools

from compiler.ir import Graph, Node
from compiler.passes.nhwc import permuted
from compiler.rewrite import Rewrite, rewrite

MOST_PLACES = 2


def gather_axes(graph: Graph) -> Graph:
    """The last word on the order of axes: cancel_permutes would undo it."""
    return rewrite(graph, _gather)


def _gather(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in ("amax", "amin", "mean", "sum"):
        return None
    (x,), axes = node.inputs, node.attributes["axes"]
    type_ = graph.types[x]
    is_reduced = [axis in axes for axis, size in enumerate(type_.shape) if size > 1]
    places = [reduced for reduced, _ in itertools.groupby(is_reduced)]
    if max(places.count(True), places.count(False)) <= MOST_PLACES:
        return None
    kept = [axis for axis in range(len(type_.shape)) if axis not in axes]
    order, gathered = (*kept, *axes), graph.fresh(f"{node.name}.gathered")
    types = {gathered: permuted(type_, order), node.output: graph.types[node.output]}
    last = tuple(range(len(kept), len(order)))
    reduction = dataclasses.replace(node.with_attributes(axes=last, keepdim=False), inputs=(gathered,))
    nodes = [Node(gathered, "permute", (x,), (gathered,), {"permutation": order}, node.source), reduction]
    if not node.attributes["keepdim"]:
        return Rewrite(nodes=tuple(nodes), types=types)
    kept_shape = graph.fresh(f"{node.name}.kept")
    types[kept_shape] = types[node.output]
    types[node.output] = dataclasses.replace(types[kept_shape], shape=tuple(type_.shape[axis] for axis in kept))
    nodes.append(Node(kept_shape, "reshape", node.outputs, (kept_shape,), {"shape": types[kept_shape].shape}, node.source))
    return Rewrite(nodes=tuple(nodes), types=types, renamed={node.output: kept_shape})
