"""Gives outputs that are inputs of the model or constants a place of their own.

input x; output y = x                    ->  c = copy(x); output y = c
input x; output y = reshape(x)           ->  c = copy(reshape(x)); output y = c

and, when layouts are settled, takes back what other nodes have moved meanwhile:

c = copy(permute(x)); output y = c       ->  output y = permute(x)
"""

import dataclasses

from compiler.ir import Graph, Node, fresh_name
from compiler.rewrite import Rewrite, rewrite


def copy_given(graph: Graph) -> Graph:
    for index, port in enumerate(graph.outputs):
        if _is_given(graph, port.tensor):
            copy = graph.fresh(f"{port.name}.copy")
            name = fresh_name(copy, [node.name for node in graph.nodes])
            changed = dataclasses.replace(port, tensor=copy)
            graph = dataclasses.replace(
                graph,
                nodes=(*graph.nodes, Node(name, "copy", (port.tensor,), (copy,))),
                outputs=(*graph.outputs[:index], changed, *graph.outputs[index + 1 :]),
                types={**graph.types, copy: graph.types[port.tensor]},
            )
    return graph.check()


def drop_copies(graph: Graph) -> Graph:
    return rewrite(graph, _drop_copy)


def _drop_copy(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "copy" or _is_given(graph, node.inputs[0]):
        return None
    return Rewrite(renamed={node.output: node.inputs[0]})


def _is_given(graph: Graph, tensor: str) -> bool:
    while (producer := graph.producer(tensor)) is not None and producer.operator == "reshape":
        tensor = producer.inputs[0]
    return producer is None
