"""Makes concats of many tensors concats of few: no kernel takes more than LARGEST_CONCAT.

y = concat(a, b, c, d, e, f)   ->   ab = concat(a, b, c, d); y = concat(ab, e, f)
"""

import dataclasses
import math

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite
from kernels.move.move import LARGEST_CONCAT


def narrow_concats(graph: Graph) -> Graph:
    return rewrite(graph, _narrow)


def _narrow(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "concat" or len(node.inputs) <= LARGEST_CONCAT:
        return None
    # The neighbours that are smallest together are copied twice.
    sizes = [math.prod(graph.types[tensor].shape) for tensor in node.inputs]
    count = min(LARGEST_CONCAT, len(sizes) - LARGEST_CONCAT + 1)
    start = min(range(len(sizes) - count + 1), key=lambda i: sum(sizes[i : i + count]))
    group, axis = node.inputs[start : start + count], node.attributes["axis"]
    part = graph.fresh(f"{node.name}.part")
    shape = list(graph.types[node.output].shape)
    shape[axis] = sum(graph.types[tensor].shape[axis] for tensor in group)
    rest = (*node.inputs[:start], part, *node.inputs[start + count :])
    return Rewrite(
        nodes=(
            Node(part, "concat", group, (part,), node.attributes, node.source),
            dataclasses.replace(node, inputs=rest),
        ),
        types={part: dataclasses.replace(graph.types[node.output], shape=tuple(shape))},
    )
