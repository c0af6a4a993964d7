"""Gives matrix products whose results are clamped to little a coarser scale: no kernel multiplies sums of products by 1/2 or more.

y: int8 scale 0.02 = matmul(a, b) clamp=(0.0, 6.0)   ->   w: int8 scale 0.3 = matmul(a, b)
                                                          y = function(w) expression=("clamp", "x", 0.0, 6.0)

The coarser scale is that of about two units of the products' sum, so that little is lost that is there to be known.
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.passes.fuse_functions import clamping
from compiler.rewrite import Rewrite, rewrite

UNITS = 2.0 + 2.0**-10
"""Of the sum of products in a step of the result: a factor below 1/2, however it is rounded."""


def coarsen_matmuls(graph: Graph) -> Graph:
    return rewrite(graph, _coarsen)


def _coarsen(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "matmul":
        return None
    a, b, result = (graph.types[tensor] for tensor in (*node.inputs, node.output))
    if any(type_.dtype != "int8" for type_ in (a, b, result)) or a.scale * b.scale / result.scale < 0.5:
        return None
    # With the zero point kept, whatever the finer scale holds the coarser one holds too.
    coarse = dataclasses.replace(result, scale=UNITS * a.scale * b.scale)
    product = graph.fresh(f"{node.name}.product")
    unclamped = dataclasses.replace(node.with_attributes(clamp=(None, None)), name=product, outputs=(product,))
    expression = clamping(node.attributes.get("clamp", (None, None)))
    return Rewrite(
        nodes=(unclamped, Node(node.name, "function", (product,), node.outputs, {"expression": expression}, node.source)),
        types={product: coarse},
    )
