"""Gives operands that broadcast all axes of the result, so that later passes can permute them alike.

y: [1,8,5,5] = mul(x: [1,8,5,5], s: [8,1,1])   ->  s4: [1,8,1,1] = reshape(s)
                                                   y = mul(x, s4)
"""

import dataclasses

import numpy as np

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite

BROADCASTING = {"add", "div", "maximum", "minimum", "mul"}


def align_ranks(graph: Graph) -> Graph:
    return rewrite(graph, _align)


def _align(graph: Graph, node: Node) -> Rewrite | None:
    rank = len(graph.types[node.output].shape)
    short = [tensor for tensor in dict.fromkeys(node.inputs) if len(graph.types[tensor].shape) < rank]
    if node.operator not in BROADCASTING or not short:
        return None
    nodes, types, constants, aligned = [], {}, {}, {}
    for tensor in short:
        type_ = graph.types[tensor]
        shape = (1,) * (rank - len(type_.shape)) + type_.shape
        aligned[tensor] = graph.fresh(f"{tensor}.aligned")
        types[aligned[tensor]] = dataclasses.replace(type_, shape=shape)
        if tensor in graph.constants:
            constants[aligned[tensor]] = np.reshape(graph.constants[tensor], shape)
        else:
            nodes.append(Node(aligned[tensor], "reshape", (tensor,), (aligned[tensor],), {"shape": shape}, node.source))
    changed = dataclasses.replace(node, inputs=tuple(aligned.get(tensor, tensor) for tensor in node.inputs))
    return Rewrite(nodes=(*nodes, changed), types=types, constants=constants)
