"""Cancels permutes, with the state in the layout that leaves the least to be moved.

state s: [1,C,T,1], read by permute(s) (0, 2, 3, 1)   ->  state s: [1,T,1,C], before a run and after it

What lasts from run to run must lie the same way at both ends of a run, so that no input or output takes a permute alone.
"""

import dataclasses
from collections.abc import Mapping

from compiler.ir import Graph, Node, Port, fresh_name
from compiler.passes.cancel_permutes import cancel_permutes
from compiler.passes.nhwc import permuted
from compiler.passes.remove_identities import remove_identities

# By rank: as it is, or with the channels, axis 1 of what PyTorch's layers work on, last.
LAYOUTS = (
    {},
    {4: (0, 2, 3, 1)},
    {3: (0, 2, 1), 4: (0, 2, 3, 1)},
)


def settle_layouts(graph: Graph) -> Graph:
    if not graph.states:
        return cancel_permutes(graph)
    ways = (cancel_permutes(_with_states(graph, layouts)) for layouts in LAYOUTS)
    return min(ways, key=_moved_bytes)


def _with_states(graph: Graph, layouts: Mapping[int, tuple[int, ...]]) -> Graph:
    types, inputs, outputs, before, after = dict(graph.types), [], [], [], []
    given: dict[str, str] = {}  # what the nodes read instead of a state
    for source, result in zip(graph.state_inputs, graph.state_outputs):
        type_ = types[source.tensor]
        order = layouts.get(len(type_.shape), tuple(range(len(type_.shape))))
        given[source.tensor] = fresh_name(f"{source.tensor}.given", types)
        types |= {given[source.tensor]: type_, source.tensor: permuted(type_, order)}
        kept = fresh_name(f"{source.tensor}.kept", types)
        types[kept] = types[source.tensor]
        back = tuple(order.index(axis) for axis in range(len(order)))
        before.append(_permute(source.tensor, given[source.tensor], back))
        after.append(_permute(result.tensor, kept, order))
        inputs.append(Port(source.name, source.tensor, order))
        outputs.append(Port(result.name, kept, order))
    nodes = (dataclasses.replace(node, inputs=tuple(given.get(tensor, tensor) for tensor in node.inputs)) for node in graph.nodes)
    return remove_identities(
        dataclasses.replace(
            graph,
            inputs=(*graph.called_inputs, *inputs),
            outputs=(*graph.called_outputs, *outputs),
            nodes=(*before, *nodes, *after),
            types=types,
        )
    )


def _permute(source: str, result: str, permutation: tuple[int, ...]) -> Node:
    return Node(result, "permute", (source,), (result,), {"permutation": permutation, "inserted": True})


def _moved_bytes(graph: Graph) -> int:
    return sum(graph.types[node.output].nbytes for node in graph.nodes if node.operator == "permute")
