"""How passes change a graph: rules that look at one node and say what stands in its place."""

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from compiler.ir import Graph, Node
from kernels.operator import TensorType


@dataclasses.dataclass(frozen=True)
class Rewrite:
    """What happens to a graph in place of one node.

    `nodes` stand where the node stood. `renamed` maps tensors to those which all other nodes, and the outputs, read in their
    stead. Nodes and tensors that nothing needs any more vanish by themselves.
    """

    nodes: tuple[Node, ...] = ()
    types: Mapping[str, TensorType] = dataclasses.field(default_factory=dict)
    constants: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)


Rule = Callable[[Graph, Node], Rewrite | None]


def rewrite(graph: Graph, *rules: Rule) -> Graph:
    """The graph after the rules have been applied, first match first, until none of them matches."""
    while True:
        for rule, node in ((rule, node) for node in graph.nodes for rule in rules):
            change = rule(graph, node)
            if change is not None:
                graph = prune(_apply(graph, node, change))
                break
        else:
            return graph.check()


def rewrite_in_order(graph: Graph, rule: Rule) -> Graph:
    """The same for a rule that makes no node match which stands before the one it changes: much faster in long graphs."""
    for name in [node.name for node in graph.nodes]:
        node = graph.node(name)
        change = rule(graph, node) if node is not None else None
        if change is not None:
            graph = prune(_apply(graph, node, change))
    return graph.check()


def _apply(graph: Graph, node: Node, change: Rewrite) -> Graph:
    def read(tensor: str) -> str:
        return change.renamed.get(tensor, tensor)

    nodes: list[Node] = []
    for old in graph.nodes:
        if old is node:
            nodes += change.nodes
        else:
            renames = not change.renamed.keys().isdisjoint(old.inputs)
            nodes.append(dataclasses.replace(old, inputs=tuple(map(read, old.inputs))) if renames else old)
    return dataclasses.replace(
        graph,
        nodes=tuple(nodes),
        outputs=tuple(dataclasses.replace(port, tensor=read(port.tensor)) for port in graph.outputs),
        types={**graph.types, **change.types},
        constants={**graph.constants, **change.constants},
    )


def prune(graph: Graph) -> Graph:
    """Without the nodes, constants and types on which no output depends."""
    needed = set(graph.output_tensors)
    nodes = []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs):
            needed.update(node.inputs)
            nodes.append(node)
    kept = needed | graph.input_tensors | {tensor for node in nodes for tensor in node.outputs}
    return dataclasses.replace(
        graph,
        nodes=tuple(reversed(nodes)),
        types={name: type_ for name, type_ in graph.types.items() if name in kept},
        constants={name: array for name, array in graph.constants.items() if name in kept},
    )
