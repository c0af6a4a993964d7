"""Lets convolutions, pools, group norms and copies work on NHWC, between permutes that later passes cancel.

y: [N,O,H,W] = conv2d(x: [N,C,H,W], w: [O,C,KH,KW])
    ->  xl: [N,H,W,C] = permute(x) permutation=(0, 2, 3, 1)
        y: [N,H,W,O] = conv2d(xl, w: [O,KH,KW,C]) layout=NHWC
        yf: [N,O,H,W] = permute(y) permutation=(0, 3, 1, 2), which is read instead of y
"""

import dataclasses

import numpy as np

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite
from kernels.operator import TensorType

TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)


OF_IMAGES = {"adaptive_avg_pool2d", "avg_pool2d", "conv2d", "copy", "group_norm", "max_pool2d"}


def nhwc(graph: Graph) -> Graph:
    return rewrite(graph, _to_nhwc)


def _to_nhwc(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in OF_IMAGES or "layout" in node.attributes:
        return None
    if len(graph.types[node.output].shape) != 4:
        return None
    x, *parameters = node.inputs
    last, first = graph.fresh(f"{node.name}.nhwc"), graph.fresh(f"{node.name}.nchw")
    types = {
        last: permuted(graph.types[x], TO_NHWC),
        node.output: permuted(graph.types[node.output], TO_NHWC),
        first: graph.types[node.output],
    }
    constants = {}
    inputs = [last, *parameters]
    if node.operator == "conv2d":
        weight = parameters[0]
        if weight not in graph.constants:
            raise node.error("weights must be constant")
        inputs[1] = graph.fresh(weight)
        types[inputs[1]] = permuted(graph.types[weight], TO_NHWC)
        constants[inputs[1]] = np.ascontiguousarray(graph.constants[weight].transpose(TO_NHWC))
    attributes = {**node.attributes, "layout": "NHWC"}
    nodes = (
        Node(last, "permute", (x,), (last,), {"permutation": TO_NHWC, "inserted": True}, node.source),
        Node(node.name, node.operator, tuple(inputs), node.outputs, attributes, node.source),
        Node(first, "permute", node.outputs, (first,), {"permutation": TO_NCHW, "inserted": True}, node.source),
    )
    return Rewrite(nodes=nodes, types=types, constants=constants, renamed={node.output: first})


def permuted(type_: TensorType, permutation: tuple[int, ...]) -> TensorType:
    return dataclasses.replace(type_, shape=tuple(type_.shape[axis] for axis in permutation))
