"""Computes equal values once.

a = clamp(x) 0..6; b = clamp(x) 0..6; y = add(a, b)   ->  a = clamp(x) 0..6; y = add(a, a)

Constants that are equal must be one already (share_constants).
"""

import dataclasses
from collections.abc import Hashable
from typing import Any

import numpy as np

from compiler.ir import Graph, Node
from compiler.rewrite import prune


def share_nodes(graph: Graph) -> Graph:
    first: dict[Hashable, str] = {}
    renamed: dict[str, str] = {}
    nodes = []
    for node in graph.nodes:
        node = dataclasses.replace(node, inputs=tuple(renamed.get(tensor, tensor) for tensor in node.inputs))
        nodes.append(node)
        # Two outputs of the model stay two, with a place each: whoever reads one may write over it.
        if len(node.outputs) == 1 and node.output not in graph.output_tensors:
            renamed[node.output] = first.setdefault(_key(graph, node), node.output)
    return prune(dataclasses.replace(graph, nodes=tuple(nodes))).check()


def _key(graph: Graph, node: Node) -> Hashable:
    """What a node's value depends on."""
    attributes = tuple((name, _hashable(value)) for name, value in sorted(node.attributes.items()))
    return node.operator, node.inputs, graph.types[node.output], attributes


def _hashable(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value
